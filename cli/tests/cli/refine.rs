//! `--refine`, `--ferr` and `--berr` of `solve`.

use serde_json::{Value, json};

use crate::support::{Array, Place, assert_close, product};

/// Diagonally dominant matrices and right-hand sides.
fn place(dtype: &str, shape: &[usize], sides: &[usize], fortran: bool) -> (Place, Array, Array) {
    let place = Place::new();
    let (a, b) = (Array::sample(dtype, shape), Array::sample(dtype, sides));
    place.write("a.npy", a.encode(fortran));
    place.write("b.npy", b.encode(!fortran));
    (place, a, b)
}

fn report(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap()
}

/// The shapes of matrices, of right-hand sides, and of these without their rows.
const SHAPES: [(&[usize], &[usize], &[usize]); 5] = [
    (&[3, 3], &[3], &[]),
    (&[1, 1], &[1, 4], &[4]),
    (&[4, 4], &[4, 2], &[2]),
    (&[3, 5, 5], &[3, 5], &[3]),
    (&[2, 40, 40], &[2, 40, 3], &[2, 3]),
];

/// x as (batch, n, k), and A and B likewise: A X is B.
fn assert_solved(a: &Array, b: &Array, x: &Array, dtype: &str) {
    assert_eq!((&x.dtype, &x.shape), (&b.dtype, &b.shape));
    let (n, batch) = (a.shape[a.shape.len() - 1], a.data.len() / a.shape[a.shape.len() - 1].pow(2));
    let shape = [batch, n, b.data.len() / batch / n];
    let (a, b, x) = (a.clone().reshape(&[batch, n, n]), b.clone().reshape(&shape), x.clone().reshape(&shape));
    for ((a, b), x) in a.matrices().into_iter().zip(b.matrices()).zip(x.matrices()) {
        assert_close(&product(a, x), b.data, dtype);
    }
}

#[test]
fn refines_double_precision() {
    for (dtype, (shape, sides, _)) in ["<f8", "<c16"].into_iter().flat_map(|d| SHAPES.map(|s| (d, s))) {
        for device in ["cpu", "sim"] {
            let (place, a, b) = place(dtype, shape, sides, shape.len() == 3);
            let run = place.run(&format!("solve a.npy b.npy -o x.npy --refine --report r.json --device {device}"));
            let run = run.expect(0);
            // The criterion for order 1 asks for the last bit, of complex numbers for more.
            let is_refined = run.stderr.starts_with("solved with up to ");
            assert!(is_refined || shape == [1, 1] && dtype == "<c16", "{run:?}");
            assert_solved(&a, &b, &place.load("x.npy"), dtype);
            let refined = &report(&place)["refined"];
            assert!(!is_refined || refined["most_corrections"].as_u64().is_some_and(|most| most < 6), "{refined}");
            assert_eq!(refined["in_double"] == json!([]), is_refined);
            assert!(report(&place)["max_ratio"].as_f64().unwrap() < 30.0);
            assert_eq!(place.files(), ["a.npy", "b.npy", "r.json", "x.npy"]);
        }
    }
}

#[test]
fn what_cannot_be_refined_is_told() {
    let place = Place::new();
    let diagonals = [1.0, 1e-300, 1e200, 0.0, f64::NAN];
    let data = diagonals.into_iter().flat_map(|x| [1.0, 0.0, 0.0, x]);
    place.save("a.npy", &Array::new("<f8", &[5, 2, 2], data));
    place.save("b.npy", &Array::new("<f8", &[5, 2], [1.0; 10]));
    for device in ["cpu", "sim"] {
        let run = place.run(&format!("solve a.npy b.npy -o x.npy --refine --report r.json --device {device}"));
        let run = run.expect(3);
        let lines: Vec<_> = run.stderr.lines().collect();
        assert!(
            lines[0].starts_with("solved with up to 0 corrections, 4 matrices in double precision, for 1"),
            "{run:?}"
        );
        assert_eq!(
            lines[1..],
            ["warplu: a.npy: matrix 3 is singular (U[1][1] is zero)", "warplu: a.npy: matrix 4 is not finite"]
        );
        let in_double = [(1, -3), (2, -2), (3, -3), (4, -2)].map(|(index, iter)| json!({"index": index, "iter": iter}));
        assert_eq!(report(&place)["refined"], json!({"most_corrections": 0, "in_double": in_double}));
        let x = place.load("x.npy").data;
        for (x, wanted) in x.iter().zip([1.0, 1.0, 1.0, 1e300, 1.0, 1e-200]) {
            assert!((x.re / wanted - 1.0).abs() < 1e-15 && x.im == 0.0, "{x} instead of {wanted}");
        }
        assert!(x[6..].iter().all(|x| x.re.is_nan()));
    }
}

#[test]
fn tells_error_bounds() {
    for (dtype, real) in [("<f4", "<f4"), ("<f8", "<f8"), ("<c8", "<f4"), ("<c16", "<f8")] {
        for (shape, sides, errors) in SHAPES {
            let device = if shape.len() == 3 { "sim" } else { "cpu" };
            let (place, a, b) = place(dtype, shape, sides, shape.len() == 2);
            place
                .run(&format!("solve a.npy b.npy -o x.npy --ferr f.npy --berr e.npy --rcond c.npy --device {device}"))
                .expect(0);
            assert_solved(&a, &b, &place.load("x.npy"), dtype);
            let unit = if real == "<f4" { f64::from(f32::EPSILON) } else { f64::EPSILON };
            let (ferr, berr) = (place.load("f.npy"), place.load("e.npy"));
            assert_eq!((&ferr.dtype[..], &ferr.shape[..]), (real, errors));
            assert_eq!((&berr.dtype[..], &berr.shape[..]), (real, errors));
            assert!(ferr.data.iter().all(|x| x.re > 0.0 && x.re < 1e3 * unit), "{ferr:?}");
            assert!(berr.data.iter().all(|x| x.re <= 2.0 * unit), "{berr:?}");
            assert_eq!(place.files(), ["a.npy", "b.npy", "c.npy", "e.npy", "f.npy", "x.npy"]);
            // In pieces, and one of them alone.
            let again = format!("solve a.npy b.npy -o y.npy --ferr g.npy --memory 300K --device {device}");
            place.run(&again).expect(0);
            assert_eq!((place.load("y.npy"), place.load("g.npy")), (place.load("x.npy"), ferr));
        }
    }
}

#[test]
fn that_makes_no_sense_is_refused() {
    for dtype in ["<f2", "<f4", "<c8"] {
        let (place, ..) = place(dtype, &[2, 3, 3], &[2, 3], false);
        place
            .run("solve a.npy b.npy -o x.npy --refine --device cpu")
            .expect_failure(2, &["a.npy", "--refine is for float64 and complex128"]);
        assert_eq!(place.files(), ["a.npy", "b.npy"]);
    }
    let (half, ..) = place("<f2", &[3, 3], &[3], false);
    half.run("solve a.npy b.npy -o x.npy --berr e.npy --device cpu").expect_failure(2, &["float16", "float32"]);
    let (place, ..) = place("<f8", &[3, 3], &[3], false);
    for other in ["--ferr f.npy", "--berr f.npy", "--rcond f.npy"] {
        let run = place.run(&format!("solve a.npy b.npy -o x.npy --refine {other} --device cpu")).expect(2);
        assert!(run.stderr.contains("cannot be used with"), "{run:?}");
    }
    place
        .run("solve a.npy b.npy -o x.npy --ferr f.npy --berr f.npy --device cpu")
        .expect_failure(2, &["f.npy is named for two outputs"]);
    assert_eq!(place.files(), ["a.npy", "b.npy"]);
}
