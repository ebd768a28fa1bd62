//! What ranks write together is, byte for byte, what one process writes.

use serde_json::Value;
use zip::CompressionMethod;

use super::run;
use crate::archives::save;
use crate::support::{Array, Place};

/// Verbs with all that they write.
const VERBS: [(&str, &[&str]); 5] = [
    ("inv a.npy -o x.npy", &["x.npy"]),
    ("solve a.npy b.npy -o x.npy --rcond r.npy --rcond-limit 1", &["x.npy", "r.npy"]),
    ("lu a.npy -o x.npy --pivots p.npy --rcond r.npy --rcond-limit 1", &["x.npy", "p.npy", "r.npy"]),
    ("lu-solve lu.npy piv.npy b.npy -o x.npy --transpose", &["x.npy"]),
    ("det a.npy -o x.npy", &["x.npy"]),
];

/// Runs a verb once alone and then on `ranks`, and compares files and reports.
fn compare(place: &Place, ranks: usize, verb: &str, outputs: &[&str]) {
    let read = |name: &&str| std::fs::read(place.path(name)).unwrap();
    let report = || -> Value { serde_json::from_slice(&read(&"report.json")).unwrap() };
    let all = || (outputs.iter().map(read).collect::<Vec<_>>(), report());
    let args = format!("{verb} --device cpu --report report.json");
    place.run(&args).expect(0);
    let (wanted, mut wanted_report) = all();
    outputs.iter().chain(&["report.json"]).for_each(|name| std::fs::remove_file(place.path(name)).unwrap());
    let ended = run(place, ranks, &args).expect(0);
    let (found, mut found_report) = all();
    assert!(found == wanted, "{verb} on {ranks}");
    let name = if ranks == 1 { "on cpu in".to_owned() } else { format!("on {ranks} ranks (cpu) in") };
    assert_eq!(ended.stderr.matches(&name).count(), 1, "{ended:?}");
    let told = found_report.as_object_mut().unwrap().remove("ranks");
    assert_eq!(told, if ranks == 1 { None } else { Some(ranks.into()) });
    found_report["seconds"] = wanted_report["seconds"].take();
    wanted_report["seconds"] = found_report["seconds"].clone();
    assert_eq!(found_report, wanted_report);
    assert!(!place.files().iter().any(|name| name.starts_with(".warplu-")), "{:?}", place.files());
}

/// Matrices, right-hand sides and factors of a batch, or of a single matrix.
fn place(dtype: &str, batch: Option<usize>, fortran: bool) -> Place {
    let place = Place::new();
    let shape = |axes: &[usize]| batch.into_iter().chain(axes.iter().copied()).collect::<Vec<_>>();
    place.write("a.npy", Array::sample(dtype, &shape(&[4, 4])).encode(fortran));
    place.write("b.npy", Array::sample(dtype, &shape(&[4, 3])).encode(fortran));
    place.run("lu a.npy -o lu.npy --pivots piv.npy --device cpu").expect(0);
    place
}

#[test]
fn are_those_of_one_process() {
    let kinds = [("<f8", false), ("<c16", true), ("<f4", true), ("<c8", false), ("<f2", false)];
    for (ranks, shift) in [(1, 0), (2, 1), (3, 3)] {
        // Not all types with all verbs: starting ranks takes a second.
        for (at, (verb, outputs)) in VERBS.into_iter().enumerate() {
            let (dtype, fortran) = kinds[(at + shift) % kinds.len()];
            compare(&place(dtype, Some(11), fortran), ranks, verb, outputs);
        }
    }
}

#[test]
fn of_fewer_matrices_than_ranks() {
    for batch in [Some(0), Some(2), None] {
        let place = place("<f8", batch, false);
        let verbs = if batch == Some(0) { &VERBS[1..] } else { &VERBS[2..3] };
        verbs.iter().for_each(|(verb, outputs)| compare(&place, 3, verb, outputs));
    }
}

/// Refinement tells matrices by their numbers, error bounds have files of other shapes, and Cholesky factorization has
/// matrices of its own.
#[test]
fn by_refinement_and_by_cholesky() {
    let place = Place::new();
    let element = |at: usize| match (at / 4 % 4, at % 4) {
        (i, j) if i == j => 6.0 + (at / 16) as f64,
        (i, j) => 1.0 / (1 + i + j) as f64,
    };
    let mut a = Array::new("<f8", &[11, 4, 4], (0..11 * 16).map(element));
    place.save("a.npy", &a);
    place.save("b.npy", &Array::sample("<f8", &[11, 4, 3]));
    place.save("v.npy", &Array::sample("<f8", &[11, 4]));
    for (verb, outputs) in [
        ("chol a.npy -o x.npy", &["x.npy"][..]),
        ("inv a.npy -o x.npy --structure spd", &["x.npy"]),
        ("solve a.npy v.npy -o x.npy --structure spd:upper", &["x.npy"]),
        ("solve a.npy b.npy -o x.npy --ferr f.npy --berr e.npy", &["x.npy", "f.npy", "e.npy"]),
        ("solve a.npy v.npy -o x.npy --ferr f.npy --rcond r.npy", &["x.npy", "f.npy", "r.npy"]),
    ] {
        compare(&place, 3, verb, outputs);
    }
    // Two that overflow in single precision, of different ranks.
    for b in [1, 9] {
        a.data[b * 16..][..16].iter_mut().for_each(|x| *x *= 1e200);
    }
    place.save("a.npy", &a);
    compare(&place, 3, "solve a.npy b.npy -o x.npy --refine", &["x.npy"]);
    let report: Value = serde_json::from_slice(&std::fs::read(place.path("report.json")).unwrap()).unwrap();
    let in_double = report["refined"]["in_double"].as_array().unwrap();
    assert_eq!(in_double.iter().map(|one| one["index"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(9)]);
}

#[test]
fn replace_the_input_on_all_ranks() {
    let place = place("<f8", Some(7), true);
    place.run("inv a.npy -o x.npy --device cpu").expect(0);
    run(&place, 2, "inv a.npy -o a.npy --device cpu --quiet").expect(0);
    assert_eq!(std::fs::read(place.path("a.npy")).unwrap(), std::fs::read(place.path("x.npy")).unwrap());
}

#[test]
fn of_large_batches_in_pieces() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[5000, 8, 8]));
    compare(&place, 2, "inv a.npy -o x.npy --memory 64K", &["x.npy"]);
}

/// Matrices of many orders, or right-hand sides of as many rows.
fn archive(dtype: &str, orders: &[usize], columns: Option<usize>) -> Vec<(String, Array)> {
    let array = |(b, &n): (usize, &usize)| (format!("m{b}"), Array::sample(dtype, &[n, columns.unwrap_or(n)]));
    orders.iter().enumerate().map(array).collect()
}

fn save_archive(place: &Place, name: &str, arrays: &[(String, Array)]) {
    let arrays: Vec<_> = arrays.iter().map(|(name, array)| (name.as_str(), array.clone())).collect();
    save(place, name, &arrays, CompressionMethod::Stored);
}

#[test]
fn archives_are_shared_by_cost() {
    let verbs = [
        ("inv a.npz -o x.npz", &["x.npz"][..]),
        ("solve a.npz b.npz -o x.npz", &["x.npz"]),
        ("lu a.npz -o x.npz --pivots p.npz", &["x.npz", "p.npz"]),
        ("det a.npz -o x.npz", &["x.npz"]),
    ];
    for (orders, dtype, shift) in [(&[3, 40, 1, 0, 7, 30, 2, 2][..], "<c8", 0), (&[5], "<f8", 1), (&[], "<f2", 2)] {
        let place = Place::new();
        save_archive(&place, "a.npz", &archive(dtype, orders, None));
        save_archive(&place, "b.npz", &archive(dtype, orders, Some(3)));
        for (at, (verb, outputs)) in verbs.iter().enumerate() {
            compare(&place, 2 + (at + shift) % 2, verb, outputs);
        }
    }
}

#[test]
fn bad_matrices_of_archives_are_named() {
    let place = Place::new();
    let mut arrays = archive("<f8", &[3, 12, 2, 11, 4], None);
    for b in [2, 3] {
        arrays[b].1.data.fill(0.0.into());
    }
    save_archive(&place, "a.npz", &arrays);
    let args = "inv a.npz -o x.npz --device cpu --quiet";
    let alone = place.run(args).expect(3);
    let wanted = std::fs::read(place.path("x.npz")).unwrap();
    let ended = run(&place, 3, args).expect(3);
    assert_eq!(super::said(&ended), alone.stderr.lines().collect::<Vec<_>>());
    assert!(alone.stderr.contains("matrix \"m3\" is singular"), "{alone:?}");
    assert!(std::fs::read(place.path("x.npz")).unwrap() == wanted);
}

#[test]
fn bad_matrices_of_any_rank_are_named() {
    let place = Place::new();
    let mut a = Array::sample("<f8", &[30, 3, 3]);
    // Both ranks have some, the second more than are named.
    a.data[2 * 9] = f64::NAN.into();
    a.data[16 * 9..].fill(0.0.into());
    place.save("a.npy", &a);
    for (verb, fault) in [("inv", "singular"), ("det", "singular"), ("chol", "not positive definite")] {
        let args = format!("{verb} a.npy -o x.npy --device cpu --quiet --report r.json");
        let alone = place.run(&args).expect(3);
        let wanted = (std::fs::read(place.path("x.npy")).unwrap(), std::fs::read(place.path("r.json")).unwrap());
        let ended = run(&place, 2, &args).expect(3);
        assert_eq!(super::said(&ended), alone.stderr.lines().collect::<Vec<_>>());
        let named = format!("matrix 16 is {fault}");
        assert!(alone.stderr.contains(&named) && alone.stderr.contains("and 5 more"), "{alone:?}");
        assert!(std::fs::read(place.path("x.npy")).unwrap() == wanted.0);
        let bad = |report: &[u8]| serde_json::from_slice::<Value>(report).unwrap()["bad"].clone();
        assert_eq!(bad(&std::fs::read(place.path("r.json")).unwrap()), bad(&wanted.1));
    }
}
