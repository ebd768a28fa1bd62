//! What the program measures, and the file that it writes.
//!
//! The tests want the feature `emulator`, which a build of the whole workspace has.

mod support;

use std::path::Path;

use serde_json::Value;

use crate::support::Place;

const OPS: [&str; 7] = ["lu", "inv", "lu-inv", "solve", "lu-solve", "det", "copy"];

/// Measures warplu alone and reads the file that it writes.
#[track_caller]
fn bench(args: &str) -> Value {
    bench_beside("none", args)
}

/// The same with other libraries.
#[track_caller]
fn bench_beside(peers: &str, args: &str) -> Value {
    let place = Place::new();
    let run = place.run(&format!("{args} --peers {peers} --json b.json")).expect(0);
    let results: Value = serde_json::from_slice(&std::fs::read(place.path("b.json")).unwrap()).unwrap();
    assert_eq!(place.files(), ["b.json"]);
    assert_eq!(run.stdout.lines().count(), 2 + rows(&results).len(), "{run:?}");
    assert!(run.stderr.is_empty(), "{run:?}");
    results
}

/// Systems by factors in single precision, on the device and from host memory; for double precision only.
#[test]
fn refined_solutions_are_measured() {
    for (device, host, places) in [("cpu", "", &["into"][..]), ("sim", "--host", &["device", "into"])] {
        let results = bench(&format!(
            "--op solve-refined --dtype f64,c64 --n 1,9 --batch 3 --rhs 2 --reps 1 --warmup 0 --device {device} {host}"
        ));
        let rows = rows(&results);
        assert_eq!(rows.len(), 4 * places.len());
        for (row, place) in rows.iter().zip(places.iter().cycle()) {
            assert_eq!((&row["op"], &row["place"]), (&"solve-refined".into(), &(*place).into()));
            assert!(row["ratio"].as_f64().is_some_and(|ratio| ratio < 30.0), "{row}");
        }
    }
    let single = Place::new().run("--op solve-refined --dtype f32 --n 4 --batch 3 --device cpu --peers none");
    assert!(single.expect(1).stderr.contains("give --dtype f64 or c64"));
}

fn rows(results: &Value) -> &[Value] {
    results["rows"].as_array().unwrap()
}

/// The fields of an object, sorted.
fn fields(object: &Value) -> Vec<&str> {
    let mut fields: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    fields
}

#[test]
fn each_operation_and_type_is_measured() {
    for (device, place) in [("cpu", "host"), ("sim", "device")] {
        let ops = OPS.join(",");
        let results = bench(&format!(
            "--op {ops} --dtype f16,f32,c64 --n 1,5..6 --batch 3 --rhs 2 --reps 2 --warmup 0 --device {device}"
        ));
        let wanted = ["cpu", "date", "driver", "figure", "gpu", "rows", "schema", "title", "toolchain", "version"];
        assert_eq!(fields(&results), wanted);
        assert_eq!(results["schema"], 1);
        assert!(results["gpu"].is_null() && results["driver"].is_null() && results["title"].is_null());
        assert!(results["date"].as_str().is_some_and(|date| date.len() == 20 && date.ends_with('Z')), "{results}");
        assert!(results["toolchain"].as_str().is_some_and(|text| text.starts_with("rustc ")), "{results}");
        let rows = rows(&results);
        assert_eq!(rows.len(), OPS.len() * 3 * 3);
        for (at, row) in rows.iter().enumerate() {
            let op = OPS[at / 9];
            assert_eq!(row["library"], "warplu");
            assert_eq!(row["op"], op);
            assert_eq!(row["dtype"], ["f16", "f32", "c64"][at / 3 % 3]);
            assert_eq!(row["n"], [1, 5, 6][at % 3]);
            assert_eq!((&row["batch"], &row["place"]), (&3.into(), &place.into()));
            assert_eq!(row["rhs"], if op.contains("solve") { 2 } else { 0 });
            assert_eq!(row["algorithm"], if op == "copy" { Value::Null } else { "auto".into() });
            assert_eq!(row["layout"], "column-major");
            let seconds = &row["seconds"];
            let [median, min, max] = ["median", "min", "max"].map(|key| seconds[key].as_f64().unwrap());
            assert!(0.0 <= min && min <= median && median <= max, "{row}");
            assert_eq!(seconds["runs"], 2);
            assert!(row["gflops"].is_f64() != (row["op"] == "copy") && row["ratio"].as_f64().unwrap() < 30.0, "{row}");
            // Which kernels ran is known of plans, where they are warplu's own choice.
            let runs_kernels = device == "sim" && !["det", "copy"].contains(&op);
            let kernels = row["kernels"].as_array().map_or(0, Vec::len);
            assert!(if runs_kernels { (1..=2).contains(&kernels) } else { kernels == 0 }, "{row}");
            let wanted = ["algorithm", "batch", "dtype", "gflops", "layout", "library", "n", "op", "place", "ratio"];
            let mut found = fields(row);
            found.retain(|field| *field != "kernels");
            assert_eq!(found, [&wanted[..], &["rhs", "seconds"]].concat());
        }
    }
}

#[test]
fn faer_is_measured_beside_warplu() {
    let results = bench_beside("faer", "--op lu,det,copy --dtype f16,f64 --n 5 --batch 4 --reps 1 --device cpu");
    let found = rows(&results).iter().map(|row| {
        assert!(row["ratio"].as_f64().unwrap() < 30.0, "{row}");
        ["op", "dtype", "library", "place"].map(|key| row[key].as_str().unwrap().to_owned()).join(" ")
    });
    let wanted = [
        "lu f16 warplu host",
        "lu f64 warplu host",
        "lu f64 faer into",
        "det f16 warplu host",
        "det f64 warplu host",
        "det f64 faer into",
        "copy f16 warplu host",
        "copy f64 warplu host",
    ];
    assert_eq!(found.collect::<Vec<_>>(), wanted);
}

#[test]
fn cholesky_is_measured() {
    let args = "--op chol,chol-inv,chol-solve --dtype f16,c64 --n 6 --batch 4 --rhs 3 --reps 1 --device cpu --host";
    let results = bench_beside("faer", args);
    let found = rows(&results).iter().map(|row| {
        assert!(row["ratio"].as_f64().unwrap() < 30.0 && row["gflops"].is_f64(), "{row}");
        ["op", "dtype", "library", "place"].map(|key| row[key].as_str().unwrap().to_owned()).join(" ")
    });
    let of = |op| {
        ["f16 warplu host", "f16 warplu into", "c64 warplu host", "c64 warplu into", "c64 faer into"]
            .map(|row| format!("{op} {row}"))
    };
    assert_eq!(found.collect::<Vec<_>>(), ["chol", "chol-inv", "chol-solve"].map(of).concat());
    let run = Place::new().run("--op chol --n 3 --batch 2 --device sim --peers none").expect(0);
    assert!(run.stdout.contains("chol     f64       3        2"), "{run:?}");
}

#[test]
fn kernels_are_measured_one_by_one() {
    let of = |args: &str| {
        let results = bench(&format!("{args} --dtype f32 --batch 3 --reps 1 --warmup 0 --device sim"));
        rows(&results)
            .iter()
            .map(|row| format!("{} {}", row["n"], row["algorithm"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    let all = of("--op lu --kernel all --n 8,33");
    for row in [
        "8 kernel:getrf_in_registers_n8",
        "8 kernel:getrf_in_registers_n32",
        "8 kernel:getrf_left_looking_n48_w1",
        "33 kernel:getrf_global",
    ] {
        assert!(all.iter().any(|found| found == row), "{row}: {all:?}");
    }
    assert!(!all.iter().any(|found| found.starts_with("33 kernel:lu_small")), "{all:?}");
    // Of the operations, those that the kernels do.
    let named = of("--op inv,lu-inv,lu,det --kernel getri_lane_per_rhs_n8 --kernel getrf_in_registers_n16 --n 7");
    assert_eq!(named, ["7 kernel:getri_lane_per_rhs_n8", "7 kernel:getrf_in_registers_n16"]);

    let place = Place::new();
    let run = place
        .run("--op lu --dtype f64 --kernel getrf_in_registers_n8 --n 8,9 --batch 1 --reps 1 --device sim")
        .expect(0);
    assert!(run.stderr.contains("up to order 8, not of order 9"), "{run:?}");
    let run = place.run("--kernel getrf_in_registers_n7 --device sim").expect(2);
    assert!(run.stderr.contains("\"getrf_in_registers_n7\"") && run.stderr.contains("warplu info"), "{run:?}");
    place.run("--kernel all --device cpu").expect_failure(2, &["--device cuda"]);
    place.run("--kernel all --algorithm auto --device sim").expect(2);
}

#[test]
fn single_matrices_and_rows_are_measured_from_both_memories() {
    let results =
        bench("--op inv,solve,lu-solve,lu --dtype f64 --n 7 --batch 1 --layout c --host --reps 1 --device sim");
    let places: Vec<_> = rows(&results).iter().map(|row| row["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["device", "host", "into", "pinned"].repeat(4));
    assert!(rows(&results).iter().all(|row| row["layout"] == "c"));
}

#[test]
fn batches_repeat_few_matrices() {
    // More numbers than are drawn.
    for device in ["cpu", "sim"] {
        let results = bench(&format!("--op copy --dtype f32 --n 1024 --batch 7 --reps 1 --warmup 0 --device {device}"));
        assert_eq!(rows(&results)[0]["ratio"], 0.0);
    }
    let results = bench("--op solve --dtype f32 --n 2 --batch 1050000 --reps 1 --warmup 0 --device cpu");
    assert!(rows(&results)[0]["ratio"].as_f64().unwrap() < 30.0);
}

#[test]
fn arguments_that_cannot_be() {
    let place = Place::new();
    for args in ["--n 0", "--n 9..3", "--n 3..", "--n 4:2", "--batch 0", "--rhs 0", "--reps 0", "--layout f"] {
        place.run(&format!("--device cpu {args}")).expect(2);
    }
    let run = place.run("--algorithm fast --device cpu").expect(2);
    assert!(run.stderr.contains("unknown algorithm") && run.stderr.contains("left-looking"), "{run:?}");
    let run = place.run("--algorithm left-looking --n 2 --op lu --dtype f32 --device cpu --peers none").expect(1);
    assert!(run.stderr.contains("is one of GPU kernels: use the device `cuda` or `sim`"), "{run:?}");
    place.run("--peers lapack").expect(2);
    for device in ["cpu", "sim"] {
        let run = place.run(&format!("--peers cublas,cusolver --device {device}"));
        run.expect_failure(2, &["GPU", "--peers none"]);
    }
    place.run("--peers faer --device sim").expect_failure(2, &["--device cpu", "--peers none"]);
    let run = place.run("--n 4000000000 --batch 4000000000 --op lu --dtype f32 --device cpu").expect(1);
    assert!(run.stderr.contains("smaller --batch") && run.stderr.contains("nothing could be measured"), "{run:?}");
}

#[test]
fn a_special_file_is_written_once() {
    if Path::new("/dev/stdout").exists() {
        let args = "--op copy --dtype f32,f64 --n 2,3 --batch 2 --reps 1 --device cpu --json /dev/stdout";
        let run = Place::new().run(args).expect(0);
        assert_eq!(run.stdout.matches("\"schema\": 1").count(), 1, "{run:?}");
    }
}

/// A batch of many orders beside one order after the other, on the host and on device memory.
#[test]
fn ragged_batches() {
    for (device, ops, places) in
        [("cpu", "lu,solve,inv,det", &["host"][..]), ("sim", "lu,solve,inv", &["device", "host"])]
    {
        let place = Place::new();
        let args = format!("--ragged --op {ops} --dtype f32 --n 1..9 --batch 12 --rhs 2 --reps 2 --warmup 0 --host");
        let run = place.run(&format!("{args} --device {device} --peers none --json b.json")).expect(0);
        let results: Value = serde_json::from_slice(&std::fs::read(place.path("b.json")).unwrap()).unwrap();
        let rows = rows(&results);
        assert_eq!(rows.len(), 2 * places.len() * ops.split(',').count());
        for (at, pair) in rows.chunks(2).enumerate() {
            assert_eq!(pair[0]["algorithm"], "ragged");
            assert_eq!(pair[1]["algorithm"], "one order after the other");
            assert!(pair[0]["op"] == "det" || pair[0]["ratio"].as_f64().unwrap() < 30.0, "{pair:?}");
            for row in pair {
                assert_eq!((&row["place"], &row["batch"]), (&places[at % places.len()].into(), &12.into()));
                let orders = row["orders"].as_array().unwrap();
                assert!(
                    orders[0].as_u64() >= Some(1) && orders[1] == row["n"] && orders[1].as_u64() <= Some(9),
                    "{row}"
                );
                assert!(row["seconds"]["median"].as_f64().unwrap() >= 0.0 && row["gflops"].is_f64(), "{row}");
            }
        }
        assert_eq!(run.stdout.lines().filter(|line| line.starts_with("ragged: ")).count(), rows.len() / 2, "{run:?}");
    }
    let refused = Place::new().run("--ragged --op copy --n 3 --batch 2 --device cpu --peers none").expect(1);
    assert!(refused.stderr.contains("measured for lu, inv, solve and det"), "{refused:?}");
}

#[test]
fn several_devices_are_measured_on_host_memory() {
    let place = Place::new();
    let args = "--op inv --dtype f32 --n 3 --batch 4 --reps 1 --warmup 0 --device sim:2";
    place.run(args).expect_failure(2, &["sim:2", "--host"]);
    let run = place.run(&format!("{args} --host")).expect(0);
    assert!(run.stdout.contains("inv") && run.stderr.is_empty(), "{run:?}");
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_work() {
    let place = Place::new();
    let run = place.run("--json none/r.json --device cpu");
    assert!(run.stdout.is_empty(), "{run:?}");
    run.expect_failure(1, &["none/r.json", "cannot be written"]);
}
