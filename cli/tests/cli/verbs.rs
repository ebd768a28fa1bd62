//! Every verb, on every type, order and rank, on the CPU and in the emulator.

use num_complex::Complex64;

use crate::support::{Array, DTYPES, Place, assert_close, npy_version, product};

/// Runs `check` for each device, type, order, and shape of A.
fn each(mut check: impl FnMut(&str, &str, bool, &[usize])) {
    for device in ["cpu", "sim"] {
        for dtype in DTYPES {
            for fortran in [false, true] {
                for shape in [&[3, 3][..], &[1, 4, 4], &[3, 5, 5]] {
                    check(device, dtype, fortran, shape);
                }
            }
        }
    }
}

fn identity(n: usize) -> Vec<Complex64> {
    (0..n * n).map(|at| Complex64::from(if at / n == at % n { 1.0 } else { 0.0 })).collect()
}

#[test]
fn inv() {
    each(|device, dtype, fortran, shape| {
        let place = Place::new();
        let a = Array::sample(dtype, shape);
        place.write("a.npy", a.encode(fortran));
        let run = place.run(&format!("inv a.npy -o x.npy --device {device} --quiet")).expect(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
        let x = place.load("x.npy");
        assert_eq!((&x.dtype, &x.shape), (&a.dtype, &a.shape));
        for (a, x) in a.matrices().into_iter().zip(x.matrices()) {
            assert_close(&product(a, x), &identity(a.cols), dtype);
        }
        assert_eq!(place.files(), ["a.npy", "x.npy"]);
    });
}

#[test]
fn inv_by_factors() {
    let place = Place::new();
    let a = Array::sample("<f8", &[3, 5, 5]);
    place.save("a.npy", &a);
    for device in ["cpu", "sim"] {
        place.run(&format!("inv a.npy -o x.npy --residual both --device {device}")).expect(0);
        for (a, x) in a.matrices().into_iter().zip(place.load("x.npy").matrices()) {
            assert_close(&product(a, x), &identity(a.cols), "<f8");
        }
    }
    let unknown = place.run("inv a.npy -o y.npy --residual right --device cpu").expect(2);
    assert!(unknown.stderr.contains("use left or both"), "{unknown:?}");
    let fused = "inv a.npy -o y.npy --residual both --algorithm kernel:inverse_in_registers_n8 --device sim";
    place.run(fused).expect_failure(2, &["LU factors"]);
}

#[test]
fn solve() {
    each(|device, dtype, fortran, shape| {
        let n = shape[shape.len() - 1];
        let batch = &shape[..shape.len() - 2];
        let a = Array::sample(dtype, shape);
        for (axes, rhs) in [(&[n][..], 1), (&[n, 1], 1), (&[n, 2], 2)] {
            let place = Place::new();
            let b = Array::sample(dtype, &[batch, axes].concat());
            place.write("a.npy", a.encode(fortran));
            place.write("b.npy", b.encode(!fortran));
            place.run(&format!("solve a.npy b.npy -o x.npy --device {device} --quiet")).expect(0);
            let x = place.load("x.npy");
            assert_eq!((&x.dtype, &x.shape), (&b.dtype, &b.shape));
            let full = [batch, &[n, rhs]].concat();
            let (b, x) = (b.reshape(&full), x.reshape(&full));
            for ((a, b), x) in a.matrices().into_iter().zip(b.matrices()).zip(x.matrices()) {
                assert_close(&product(a, x), b.data, dtype);
            }
        }
    });
}

#[test]
fn lu() {
    each(|device, dtype, fortran, shape| {
        let n = shape[shape.len() - 1];
        let place = Place::new();
        let mut a = Array::sample(dtype, shape);
        // The rows upside down, so that there is something to pivot.
        let rows: Vec<_> = a.data.chunks(n).map(<[_]>::to_vec).collect();
        a.data = rows.chunks(n).flat_map(|matrix| matrix.iter().rev().flatten().copied()).collect();
        place.write("a.npy", a.encode(fortran));
        place.run(&format!("lu a.npy -o lu.npy --pivots piv.npy --device {device} --quiet")).expect(0);
        let (lu, pivots) = (place.load("lu.npy"), place.load("piv.npy"));
        assert_eq!((&lu.dtype, &lu.shape), (&a.dtype, &a.shape));
        assert_eq!((pivots.dtype.as_str(), &pivots.shape[..]), ("<i4", &shape[..shape.len() - 1]));
        for ((a, lu), pivots) in a.matrices().into_iter().zip(lu.matrices()).zip(pivots.data.chunks(n)) {
            let mut rows: Vec<_> = a.data.chunks(n).collect();
            for (k, p) in pivots.iter().enumerate() {
                rows.swap(k, p.re as usize);
            }
            let part = |at: usize, lower: bool| match (at / n, at % n) {
                (i, j) if i == j && lower => Complex64::from(1.0),
                (i, j) if (i > j) == lower => lu.get(i, j),
                _ => Complex64::from(0.0),
            };
            let l: Vec<_> = (0..n * n).map(|at| part(at, true)).collect();
            let u: Vec<_> = (0..n * n).map(|at| part(at, false)).collect();
            let (l, u) = (crate::support::Matrix { cols: n, data: &l }, crate::support::Matrix { cols: n, data: &u });
            assert_close(&product(l, u), &rows.concat(), dtype);
        }
    });
}

#[test]
fn det() {
    each(|device, dtype, fortran, shape| {
        let n = shape[shape.len() - 1];
        let place = Place::new();
        // Triangular matrices with a negative element: the determinant is the product of the diagonal.
        let mut a = Array::sample(dtype, shape);
        for (at, z) in a.data.iter_mut().enumerate() {
            let (i, j) = (at / n % n, at % n);
            if i > j {
                *z = Complex64::from(0.0);
            }
            if (i, j) == (0, 0) {
                *z = -*z;
            }
        }
        place.write("a.npy", a.encode(fortran));
        place.run(&format!("det a.npy -o det.npy --device {device} --quiet")).expect(0);
        let det = place.load("det.npy");
        assert_eq!((&det.dtype, &det.shape[..]), (&a.dtype, &[&shape[..shape.len() - 2], &[2]].concat()[..]));
        for (a, det) in a.matrices().into_iter().zip(det.data.chunks(2)) {
            let expected: Complex64 = (0..n).map(|i| a.get(i, i)).product();
            assert_close(&[det[0]], &[expected / expected.norm()], dtype);
            assert_close(&[det[1] / 10.0], &[Complex64::from(expected.norm().ln()) / 10.0], dtype);
        }
    });
}

#[test]
fn empty_batches_and_empty_matrices() {
    for (a, b, pivots, det) in [
        (&[0, 3, 3][..], &[0, 3][..], &[0, 3][..], &[0, 2][..]),
        (&[2, 0, 0], &[2, 0, 4], &[2, 0], &[2, 2]),
        (&[0, 0], &[0], &[0], &[2]),
    ] {
        for device in ["cpu", "sim"] {
            let place = Place::new();
            place.save("a.npy", &Array::sample("<f8", a));
            place.save("b.npy", &Array::new("<f8", b, []));
            let run = |args: &str| place.run(&format!("{args} --device {device} --report r.json")).expect(0);
            run("inv a.npy -o inv.npy");
            run("solve a.npy b.npy -o x.npy");
            run("lu a.npy -o lu.npy --pivots piv.npy");
            run("det a.npy -o det.npy");
            assert_eq!(place.load("inv.npy").shape, a);
            assert_eq!(place.load("x.npy").shape, b);
            assert_eq!(place.load("lu.npy").shape, a);
            assert_eq!(place.load("piv.npy").shape, pivots);
            let ones = det.iter().product::<usize>() / 2;
            assert_eq!(place.load("det.npy"), Array::new("<f8", det, [1.0, 0.0].repeat(ones)));
        }
    }
}

#[test]
fn version_2_files() {
    let place = Place::new();
    place.write("a.npy", npy_version(2, "'<f8'", false, "(1, 1)", &4.0_f64.to_le_bytes()));
    place.run("inv a.npy -o x.npy --device cpu").expect(0);
    assert_eq!(place.load("x.npy"), Array::new("<f8", &[1, 1], [0.25]));
}

#[test]
fn chunks_give_the_same_as_one_call() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[40, 9, 9]));
    place.run("inv a.npy -o one.npy --device sim").expect(0);
    place.run("inv a.npy -o many.npy --device sim --memory 4K").expect(0);
    assert_eq!(place.load("one.npy"), place.load("many.npy"));
    place.run("inv a.npy -o none.npy --device sim --memory 100").expect_failure(1, &["memory", "cpu"]);
}

#[test]
fn real_data() {
    let place = Place::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits_cov_n64_f32.npy");
    let run = place.run_with(["inv", data, "-o", "x.npy", "--device", "cpu"], std::process::Stdio::piped()).expect(0);
    assert!(run.stderr.starts_with("inverted 50 matrices of 64 x 64 (f32) on cpu in "), "{run:?}");
    assert_eq!(place.load("x.npy").shape, [50, 64, 64]);
}
