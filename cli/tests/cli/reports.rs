//! `--report` and `--quiet`.

use serde_json::Value;

use crate::support::{Array, DTYPES, Place};

fn report(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap()
}

#[test]
fn say_what_was_done() {
    let place = Place::new();
    for (dtype, name) in DTYPES.into_iter().zip(["f16", "f32", "f64", "c32", "c64"]) {
        place.save("a.npy", &Array::sample(dtype, &[3, 4, 4]));
        place.save("b.npy", &Array::sample(dtype, &[3, 4]));
        for device in ["cpu", "sim"] {
            for verb in ["inv a.npy", "solve a.npy b.npy", "lu a.npy --pivots p.npy", "det a.npy"] {
                place.run(&format!("{verb} -o x.npy --report r.json --device {device}")).expect(0);
                let report = report(&place);
                assert_eq!(report["op"], verb.split(' ').next().unwrap());
                assert_eq!(report["dtype"], name);
                assert_eq!((&report["n"], &report["batch"]), (&4.into(), &3.into()));
                assert_eq!(report["device"], device);
                assert!(report["seconds"].as_f64().unwrap() > 0.0);
                assert_eq!(report["bad"], Value::Array(vec![]));
                let ratio = report["max_ratio"].as_f64().unwrap();
                assert!(ratio > 0.0 && ratio < 30.0, "{verb} {name} {device}: {ratio}");
                assert_eq!(report.as_object().unwrap().len(), 11);
            }
        }
    }
}

#[test]
fn list_bad_matrices() {
    let place = Place::new();
    let mut a = Array::sample("<f8", &[4, 2, 2]);
    a.data[4..8].fill(1.0.into());
    a.data[12] = f64::INFINITY.into();
    place.save("a.npy", &a);
    for verb in ["inv", "det"] {
        place.run(&format!("{verb} a.npy -o x.npy --report r.json --device cpu")).expect(3);
        let report = report(&place);
        let bad = serde_json::json!([{"index": 1, "status": 2}, {"index": 3, "status": -1}]);
        assert_eq!(report["bad"], bad);
        assert!(report["max_ratio"].as_f64().unwrap() < 30.0);
    }
    place.save("a.npy", &Array::new("<f8", &[2, 1, 1], [0.0; 2]));
    place.run("inv a.npy -o x.npy --report r.json --device cpu").expect(3);
    assert_eq!(report(&place)["max_ratio"], Value::Null);
}

#[test]
fn a_summary_unless_quiet() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<c8", &[2, 2]));
    place.save("b.npy", &Array::sample("<c8", &[2, 3]));
    for (verb, said) in [
        ("inv a.npy", "inverted 1 matrix of 2 x 2 (c32) on cpu in 0."),
        ("solve a.npy b.npy", "solved for 3 right-hand sides with each of 1 matrix of 2 x 2 (c32) on cpu in 0."),
        ("lu a.npy --pivots p.npy", "factored 1 matrix of 2 x 2 (c32) on cpu in 0."),
        ("det a.npy", "took the determinants of 1 matrix of 2 x 2 (c32) on cpu in 0."),
    ] {
        let run = place.run(&format!("{verb} -o x.npy --device cpu")).expect(0);
        assert!(run.stdout.is_empty() && run.stderr.starts_with(said) && run.stderr.lines().count() == 1, "{run:?}");
        let run = place.run(&format!("{verb} -o x.npy --device cpu --quiet")).expect(0);
        assert!(run.stdout.is_empty() && run.stderr.is_empty(), "{run:?}");
    }
}
