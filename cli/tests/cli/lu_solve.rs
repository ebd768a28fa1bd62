//! `lu-solve`, from the files that `lu` writes.

use crate::support::{Array, DTYPES, Place, assert_close, product};

/// A.npy, its factors and pivots, and B.npy.
fn place(dtype: &str, shape: &[usize], rhs: &[usize], device: &str) -> (Place, Array, Array) {
    let place = Place::new();
    let n = shape[shape.len() - 1];
    let mut a = Array::sample(dtype, shape);
    // The rows upside down, so that there is something to pivot.
    let rows: Vec<_> = a.data.chunks(n).map(<[_]>::to_vec).collect();
    a.data = rows.chunks(n).flat_map(|matrix| matrix.iter().rev().flatten().copied()).collect();
    let b = Array::sample(dtype, &[&shape[..shape.len() - 2], rhs].concat());
    place.save("a.npy", &a);
    place.save("b.npy", &b);
    place.run(&format!("lu a.npy -o lu.npy --pivots p.npy --device {device} --quiet")).expect(0);
    (place, a, b)
}

fn each(mut check: impl FnMut(&str, &str, &[usize], &[usize])) {
    for device in ["cpu", "sim"] {
        for dtype in DTYPES {
            for (shape, rhs) in
                [(&[4, 4][..], &[4][..]), (&[1, 3, 3], &[3, 2]), (&[3, 5, 5], &[5]), (&[30, 5, 5], &[5, 3])]
            {
                check(device, dtype, shape, rhs);
            }
        }
    }
}

#[test]
fn equals_solve() {
    each(|device, dtype, shape, rhs| {
        let (place, _, b) = place(dtype, shape, rhs, device);
        place.run(&format!("solve a.npy b.npy -o x.npy --device {device} --quiet")).expect(0);
        let run = place.run(&format!("lu-solve lu.npy p.npy b.npy -o y.npy --device {device} --report r.json"));
        let says = format!("solved for {} right-hand side", rhs.get(1).unwrap_or(&1));
        assert!(run.expect(0).stderr.starts_with(&says));
        let (x, y) = (place.load("x.npy"), place.load("y.npy"));
        assert_eq!((&y.dtype, &y.shape), (&b.dtype, &b.shape));
        assert_close(&x.data, &y.data, dtype);
        let report: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
        assert_eq!((&report["op"], &report["input"]), (&"lu-solve".into(), &"lu.npy".into()));
        assert!(report["max_ratio"].as_f64().unwrap() < 30.0, "{report}");
    });
}

#[test]
fn solves_with_the_transposed_and_the_adjoint_matrix() {
    each(|device, dtype, shape, rhs| {
        let (place, a, b) = place(dtype, shape, rhs, device);
        let (n, rhs) = (shape[shape.len() - 1], *rhs.get(1).unwrap_or(&1));
        for op in ["transpose", "adjoint"] {
            let args = format!("lu-solve lu.npy p.npy b.npy -o x.npy --{op} --device {device} --quiet --report r.json");
            place.run(&args).expect(0);
            let full = [&shape[..shape.len() - 2], &[n, rhs]].concat();
            let (b, x) = (b.clone().reshape(&full), place.load("x.npy").reshape(&full));
            for ((a, b), x) in a.matrices().into_iter().zip(b.matrices()).zip(x.matrices()) {
                let element = |at: usize| a.get(at % n, at / n);
                let turned = (0..n * n).map(|at| if op == "adjoint" { element(at).conj() } else { element(at) });
                let turned: Vec<_> = turned.collect();
                assert_close(&product(crate::support::Matrix { cols: n, data: &turned }, x), b.data, dtype);
            }
            let report: serde_json::Value =
                serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
            assert!(report["max_ratio"].as_f64().unwrap() < 30.0, "{report}");
        }
    });
}

#[test]
fn reads_any_order() {
    let (place, ..) = place("<f8", &[300, 4, 4], &[4], "cpu");
    place.run("lu-solve lu.npy p.npy b.npy -o x.npy --device cpu").expect(0);
    for name in ["lu.npy", "b.npy"] {
        place.write(name, place.load(name).encode(true));
    }
    let pivots = place.load("p.npy");
    let by_index: Vec<_> = (0..4).flat_map(|k| pivots.data.iter().skip(k).step_by(4)).map(|p| p.re as i32).collect();
    let bytes: Vec<_> = by_index.into_iter().flat_map(i32::to_le_bytes).collect();
    place.write("p.npy", crate::support::npy("'<i4'", true, "(300, 4)", &bytes));
    place.run("lu-solve lu.npy p.npy b.npy -o y.npy --device cpu").expect(0);
    assert_eq!(place.load("x.npy"), place.load("y.npy"));
}

#[test]
fn singular_factors_are_named() {
    let (place, ..) = place("<f8", &[3, 4, 4], &[4], "cpu");
    let mut lu = place.load("lu.npy");
    lu.data[16 + 10] = 0.0.into();
    place.save("lu.npy", &lu);
    for device in ["cpu", "sim"] {
        let run = place.run(&format!("lu-solve lu.npy p.npy b.npy -o x.npy --quiet --device {device}")).expect(3);
        assert_eq!(run.stderr, "warplu: lu.npy: matrix 1 is singular (U[2][2] is zero)\n");
        let x = place.load("x.npy").data;
        assert!(x[4..8].iter().all(|z| z.re.is_nan()) && x[..4].iter().chain(&x[8..]).all(|z| z.re.is_finite()));
    }
}

#[test]
fn empty_batches_and_empty_matrices() {
    for (shape, b, p) in [(&[0, 3, 3][..], &[0, 3][..], &[0, 3][..]), (&[2, 0, 0], &[2, 0, 4], &[2, 0])] {
        let place = Place::new();
        place.save("lu.npy", &Array::sample("<f8", shape));
        place.save("b.npy", &Array::new("<f8", b, []));
        place.write("p.npy", crate::support::npy("'<i4'", false, &crate::support::tuple(p), &[]));
        place.run("lu-solve lu.npy p.npy b.npy -o x.npy --device cpu --report r.json").expect(0);
        assert_eq!(place.load("x.npy").shape, b);
    }
}

#[test]
fn wrong_pivots_are_named() {
    let (place, ..) = place("<f4", &[3, 2, 2], &[2], "cpu");
    let refused = |descr: &str, shape: &str, data: &[u8], words: &[&str]| {
        place.write("p.npy", crate::support::npy(descr, false, shape, data));
        for device in ["cpu", "sim"] {
            let run = place.run(&format!("lu-solve lu.npy p.npy b.npy -o x.npy --device {device}"));
            run.expect_failure(2, &[&["p.npy: "], words].concat());
        }
        assert!(!place.path("x.npy").exists());
    };
    let bytes = |pivots: [i32; 6]| pivots.into_iter().flat_map(i32::to_le_bytes).collect::<Vec<_>>();
    refused("'<i4'", "(3, 2)", &bytes([0, 1, 1, 2, 0, 1]), &["matrix 1: pivot 1 is 2", "from 0 to 1", "minus 1"]);
    refused("'<i4'", "(3, 2)", &bytes([0, 1, 1, 1, -7, 1]), &["matrix 2: pivot 0 is -7", "from 0 to 1"]);
    refused("'<i4'", "(2, 3)", &bytes([0; 6]), &["(2, 3)", "lu.npy", "(3, 2, 2)", "of shape (3, 2)"]);
    refused("'<i8'", "(3, 2)", &[0; 48], &["<i8", "piv.astype"]);
    refused("'>i4'", "(3, 2)", &[0; 24], &["big-endian", "piv.astype"]);
    refused("'<f4'", "(3, 2)", &[0; 24], &["no pivots", "warplu lu"]);
}

#[test]
fn wrong_usage() {
    let (place, ..) = place("<f4", &[2, 2], &[2], "cpu");
    for args in ["lu.npy b.npy -o x.npy", "lu.npy p.npy b.npy -o x.npy --transpose --adjoint", "lu.npy p.npy b.npy"] {
        place.run(&format!("lu-solve {args}")).expect(2);
    }
    place.run("lu-solve lu.npy - - -o x.npy").expect_failure(2, &["two inputs"]);
    place.save("b.npy", &Array::sample("<f4", &[3]));
    place.run("lu-solve lu.npy p.npy b.npy -o x.npy --device cpu").expect_failure(2, &["b.npy", "lu.npy", "reshape"]);
}
