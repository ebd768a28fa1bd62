//! Positive definite matrices: `chol`, and `--structure` of the verbs that have it.

use num_complex::Complex64;

use crate::support::{Array, DTYPES, Matrix, Place, assert_close, product};

/// Hermitian matrices with a large diagonal.
fn definite(dtype: &str, shape: &[usize]) -> Array {
    let mut a = Array::sample(dtype, shape);
    let n = shape[shape.len() - 1];
    for matrix in a.data.chunks_mut(n * n) {
        for i in 0..n {
            matrix[i * n + i].im = 0.0;
            for j in 0..i {
                matrix[i * n + j] = matrix[j * n + i].conj();
            }
        }
    }
    a
}

/// The same with NaN in one of the triangles.
fn poisoned(a: &Array, lower: bool) -> Array {
    let (mut a, n) = (a.clone(), a.shape[a.shape.len() - 1]);
    for (at, z) in a.data.iter_mut().enumerate() {
        let (i, j) = (at / n % n, at % n);
        if (lower && i > j) || (!lower && i < j) {
            *z = Complex64::from(f64::NAN);
        }
    }
    a
}

#[test]
fn chol() {
    for dtype in DTYPES {
        for shape in [&[3, 3][..], &[1, 4, 4], &[3, 5, 5]] {
            let (place, a, n) = (Place::new(), definite(dtype, shape), shape[shape.len() - 1]);
            for (triangle, fortran) in [("lower", true), ("upper", false)] {
                place.write("a.npy", poisoned(&a, triangle == "upper").encode(fortran));
                let args = format!("chol a.npy -o l.npy --triangle {triangle} --device cpu --quiet");
                let run = place.run(&args).expect(0);
                assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
                let l = place.load("l.npy");
                assert_eq!((&l.dtype, &l.shape), (&a.dtype, &a.shape));
                for (a, l) in a.matrices().into_iter().zip(l.matrices()) {
                    let adjoint: Vec<_> = (0..n * n).map(|at| l.get(at % n, at / n).conj()).collect();
                    let adjoint = Matrix { cols: n, data: &adjoint };
                    let both = if triangle == "lower" { product(l, adjoint) } else { product(adjoint, l) };
                    assert_close(&both, a.data, dtype);
                    let others = (0..n * n).filter(|at| (at / n < at % n) == (triangle == "lower") && at / n != at % n);
                    assert!(others.into_iter().all(|at| l.data[at] == Complex64::from(0.0)));
                }
            }
        }
    }
}

#[test]
fn by_structure() {
    for dtype in DTYPES {
        let (place, a, n) = (Place::new(), definite(dtype, &[3, 5, 5]), 5);
        place.save("b.npy", &Array::sample(dtype, &[3, 5, 2]));
        place.save("whole.npy", &a);
        place.run("det whole.npy -o whole_det.npy --device cpu").expect(0);
        for (structure, lower_is_nan) in [("spd", false), ("spd:upper", true)] {
            place.save("a.npy", &poisoned(&a, lower_is_nan));
            let run = |args: &str| {
                let args = format!("{args} --structure {structure} --device cpu --report r.json");
                place.run(&args).expect(0);
                let report: serde_json::Value =
                    serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
                assert!(report["max_ratio"].as_f64().is_some_and(|ratio| ratio < 30.0), "{args}: {report}");
            };
            run("inv a.npy -o x.npy");
            let identity: Vec<_> = (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }.into()).collect();
            for (a, x) in a.matrices().into_iter().zip(place.load("x.npy").matrices()) {
                assert_close(&product(a, x), &identity, dtype);
            }
            run("solve a.npy b.npy -o x.npy");
            for ((a, x), b) in
                a.matrices().into_iter().zip(place.load("x.npy").matrices()).zip(place.load("b.npy").matrices())
            {
                assert_close(&product(a, x), b.data, dtype);
            }
            run("det a.npy -o det.npy");
            let tenths = |name: &str| place.load(name).data.iter().map(|z| z / 10.0).collect::<Vec<_>>();
            assert_close(&tenths("det.npy"), &tenths("whole_det.npy"), dtype);
        }
    }
}

/// Condition numbers and error bounds are those of the whole matrices, but for rounding.
#[test]
fn conditions_and_bounds_by_structure() {
    for dtype in ["<f4", "<f8", "<c8", "<c16"] {
        let (place, a) = (Place::new(), definite(dtype, &[3, 5, 5]));
        place.save("b.npy", &Array::sample(dtype, &[3, 5, 2]));
        let near = |one: &str, other: &str, factor: f64| {
            let (one, other) = (place.load(one), place.load(other));
            assert_eq!((&one.dtype, &one.shape), (&other.dtype, &other.shape));
            let is_near = |(x, y): (&Complex64, &Complex64)| x.re <= factor * y.re && y.re <= factor * x.re;
            assert!(one.data.iter().zip(&other.data).all(is_near), "{dtype}: {one:?}, {other:?}");
        };
        for (structure, lower_is_nan) in [("spd", false), ("spd:upper", true), ("lower", false), ("upper", true)] {
            let is_definite = structure.starts_with("spd");
            let mut whole = a.clone();
            if !is_definite {
                let is_other = |at: usize| if lower_is_nan { at % 5 < at / 5 % 5 } else { at / 5 % 5 < at % 5 };
                (0..whole.data.len()).filter(|&at| is_other(at)).for_each(|at| whole.data[at] = 0.0.into());
            }
            place.save("whole.npy", &whole);
            place.save("a.npy", &poisoned(&a, lower_is_nan));
            let bounds = |prefix: &str| {
                if is_definite { format!("--ferr {prefix}f.npy --berr {prefix}e.npy") } else { String::new() }
            };
            let run = |a: &str, prefix: &str, more: &str| {
                let bounds = bounds(prefix);
                let args = format!("solve {a} b.npy -o {prefix}x.npy --rcond {prefix}c.npy --norm inf {bounds} {more}");
                place.run(&format!("{args} --device cpu")).expect(0);
            };
            run("whole.npy", "w", "");
            run("a.npy", "s", &format!("--structure {structure}"));
            near("sc.npy", "wc.npy", 1.0 + 1e-3);
            if is_definite {
                near("sf.npy", "wf.npy", 4.0);
            }
        }
    }
}

/// Of a triangle alone, whatever is in the other one.
#[test]
fn by_triangles() {
    for dtype in DTYPES {
        let (place, n) = (Place::new(), 5);
        let a = definite(dtype, &[3, n, n]);
        place.save("b.npy", &Array::sample(dtype, &[3, n, 2]));
        for (structure, lower, adjoint) in
            [("lower", true, false), ("upper", false, false), ("lower:adjoint", true, true)]
        {
            place.save("a.npy", &poisoned(&a, !lower));
            let report = format!("--structure {structure} --device cpu --report r.json");
            for (verb, sides) in [("solve", "b.npy"), ("inv", ""), ("det", "")] {
                place.run(&format!("{verb} a.npy {sides} -o {verb}.npy {report}")).expect(0);
                let report: serde_json::Value =
                    serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
                assert!(report["max_ratio"].as_f64().is_some_and(|ratio| ratio < 30.0), "{verb} {structure}: {report}");
            }
            let (x, b, inverse) = (place.load("solve.npy"), place.load("b.npy"), place.load("inv.npy"));
            for (m, a) in a.matrices().into_iter().enumerate() {
                let element = |i: usize, j: usize| {
                    let (i, j) = if adjoint { (j, i) } else { (i, j) };
                    let is_inside = if lower { i >= j } else { i <= j };
                    let x = if is_inside { a.get(i, j) } else { 0.0.into() };
                    if adjoint { x.conj() } else { x }
                };
                let whole: Vec<_> = (0..n * n).map(|at| element(at / n, at % n)).collect();
                let whole = Matrix { cols: n, data: &whole };
                assert_close(&product(whole, x.matrices()[m]), b.matrices()[m].data, dtype);
                let identity: Vec<_> = (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }.into()).collect();
                assert_close(&product(whole, inverse.matrices()[m]), &identity, dtype);
            }
        }
    }
}

#[test]
fn matrices_that_are_not_positive_definite_are_named() {
    let place = Place::new();
    let mut a = definite("<f8", &[3, 4, 4]);
    a.data[16 + 10] = (-1.0).into();
    a.data[32 + 15] = f64::NAN.into();
    place.save("a.npy", &a);
    let not = "warplu: a.npy: matrix 1 is not positive definite (its leading minor of order 3 is not)";
    for args in ["chol a.npy -o l.npy", "inv a.npy -o l.npy --structure spd"] {
        let run = place.run(&format!("{args} --device cpu --quiet --report r.json")).expect(3);
        let lines: Vec<_> = run.stderr.lines().collect();
        assert_eq!(lines, [not, "warplu: a.npy: matrix 2 is not finite"]);
        let l = place.load("l.npy");
        assert!(l.data[16..].iter().all(|z| z.re.is_nan()) && l.data[..16].iter().all(|z| z.re.is_finite()));
        let report: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
        assert_eq!(report["bad"][0], serde_json::json!({"index": 1, "status": -4}));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let place = Place::new();
    place.save("a.npy", &definite("<f8", &[2, 2]));
    place.save("b.npy", &Array::sample("<f8", &[2]));
    let unknown = place.run("inv a.npy -o x.npy --structure symmetric --device cpu").expect(2);
    assert!(unknown.stderr.contains("spd:upper; lower or upper for triangular matrices"), "{unknown:?}");
    let unknown = place.run("inv a.npy -o x.npy --structure lower:units --device cpu").expect(2);
    assert!(unknown.stderr.contains("use unit, and then transpose or adjoint"), "{unknown:?}");
    let both = place.run("inv a.npy -o x.npy --structure lower --residual both --device cpu");
    assert!(both.stderr.contains("triangular matrices have small left residuals"), "{both:?}");
    let both = place.run("solve a.npy b.npy -o x.npy --structure spd --refine --device cpu").expect(2);
    assert!(both.stderr.contains("cannot be used with"), "{both:?}");
    let both = place.run("solve a.npy b.npy -o x.npy --structure lower --ferr r.npy --device cpu").expect(2);
    assert!(both.stderr.contains("not for triangular matrices"), "{both:?}");
    assert_eq!(place.files(), ["a.npy", "b.npy"]);
}

#[test]
fn the_emulator_does_it() {
    let place = Place::new();
    place.save("a.npy", &definite("<f8", &[2, 2]));
    place.run("chol a.npy -o l.npy --device sim").expect(0);
    place.run("inv a.npy -o x.npy --structure spd --device sim").expect(0);
    assert_eq!(place.files(), ["a.npy", "l.npy", "x.npy"]);
}

#[test]
fn real_data() {
    let place = Place::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits_cov_n64_f32.npy");
    let args = ["chol", data, "-o", "l.npy", "--device", "cpu"];
    let run = place.run_with(args, std::process::Stdio::piped()).expect(0);
    assert!(run.stderr.starts_with("factored 50 matrices of 64 x 64 (f32) on cpu in "), "{run:?}");
    assert_eq!(place.load("l.npy").shape, [50, 64, 64]);
}
