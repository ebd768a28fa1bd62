//! `info`, `bench`, `verify`, and GPUs.

use crate::support::{Array, Place};

#[test]
fn info_names_devices_and_kernels() {
    let run = Place::new().run("info").expect(0);
    for word in ["cpu", "sim", "cuda", "auto", "lu", "inverse", "solve", "compute capability"] {
        assert!(run.stdout.contains(word), "no {word:?} in {run:?}");
    }
    assert!(run.stderr.is_empty(), "{run:?}");
}

#[test]
fn bench_measures_each_case() {
    let place = Place::new();
    for (device, resident) in [("cpu", false), ("sim", true)] {
        let args = "bench --op lu,solve,inv,det --dtype f16,f32,c64 --n 1,5 --batch 3 --rhs 2 --reps 2 --warmup 0";
        let run = place.run(&format!("{args} --json b.json --device {device}")).expect(0);
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path("b.json")).unwrap()).unwrap();
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 24);
        assert_eq!(run.stdout.lines().count(), 3 + if resident { 48 } else { 24 });
        for row in rows {
            assert!(row["host"]["min"].as_f64() <= row["host"]["median"].as_f64());
            assert!(row["host"]["matrices_per_second"].as_f64().unwrap() > 0.0);
            assert_eq!(row["resident"].is_object(), resident, "{row}");
        }
    }
}

#[test]
fn cuda_works_or_says_why_not() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[2, 2]));
    let gpu = warplu::Device::cuda(0).is_ok();
    let run = place.run("inv a.npy -o x.npy --device cuda");
    if gpu {
        run.expect(0);
        return;
    }
    run.expect_failure(1, &["NVIDIA driver"]);
    assert_eq!(place.files(), ["a.npy"]);
    let run = place.run("inv a.npy -o x.npy --device auto").expect(0);
    assert!(run.stderr.contains(" on cpu in "), "{run:?}");
}

#[test]
fn verify_shows_a_table() {
    for device in ["cpu", "sim"] {
        let run = Place::new().run(&format!("verify --n 1,3 --device {device}")).expect(0);
        assert!(run.stdout.contains("lu") && run.stdout.contains(" checks passed in "), "{run:?}");
        assert!(!run.stdout.contains("FAILED") && run.stderr.is_empty(), "{run:?}");
    }
    Place::new().run("verify --device tpu").expect_failure(2, &["unknown device"]);
}
