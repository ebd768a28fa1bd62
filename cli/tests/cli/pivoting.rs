//! `--pivoting` of `lu`, `solve`, `inv` and `det`, and `--growth`.

use std::cmp::Ordering;

use num_complex::Complex64;
use serde_json::{Value, json};

use crate::support::{Array, DTYPES, Matrix, Place, assert_close, product};

fn report(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap()
}

/// L, with its ones, and U.
fn triangles(lu: Matrix<'_>) -> [Vec<Complex64>; 2] {
    let n = lu.cols;
    let lower = |at: usize| match (at / n).cmp(&(at % n)) {
        Ordering::Less => Complex64::from(0.0),
        Ordering::Equal => Complex64::from(1.0),
        Ordering::Greater => lu.data[at],
    };
    let upper = |at: usize| if at / n > at % n { Complex64::from(0.0) } else { lu.data[at] };
    [(0..n * n).map(lower).collect(), (0..n * n).map(upper).collect()]
}

#[test]
fn matrices_that_need_no_interchanges_are_left_without() {
    for (device, shape) in [("cpu", &[3, 5, 5][..]), ("sim", &[2, 9, 9]), ("sim", &[40, 40])] {
        for dtype in DTYPES {
            let place = Place::new();
            let n = shape[shape.len() - 1];
            let (a, b) =
                (Array::sample(dtype, shape), Array::sample(dtype, &[&shape[..shape.len() - 1], &[2]].concat()));
            place.save("a.npy", &a);
            place.save("b.npy", &b);
            let run = |args: &str| place.run(&format!("{args} --report r.json --device {device}")).expect(0);
            run("lu a.npy -o lu.npy --pivots p.npy --growth g.npy --pivoting none");
            assert!(place.load("p.npy").data.chunks(n).all(|p| (0..n).all(|k| p[k].re == k as f64)));
            let (lu, growth) = (place.load("lu.npy"), place.load("g.npy"));
            let scale = 2.0 * n as f64;
            for (a, lu) in a.matrices().into_iter().zip(lu.matrices()) {
                let [l, u] = triangles(lu);
                let product = product(Matrix { cols: n, data: &l }, Matrix { cols: n, data: &u });
                let scaled = |x: &[Complex64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
                assert_close(&scaled(&product), &scaled(a.data), dtype);
            }
            assert_eq!(growth.shape, shape[..shape.len() - 2]);
            assert!(growth.data.iter().all(|x| (0.9..1.2).contains(&x.re)), "{growth:?}");
            let found = report(&place);
            assert_eq!((&found["pivoting"], &found["bad"]), (&json!("none"), &json!([])));
            let most = growth.data.iter().map(|x| x.re).fold(0.0, f64::max);
            // Read again, its last bit may be another.
            assert!((found["growth"]["max"].as_f64().unwrap() / most - 1.0).abs() < 1e-12, "{found}");
            let solutions = ["none", "boosted:1e-6"].map(|pivoting| {
                run(&format!("solve a.npy b.npy -o x.npy --pivoting {pivoting}"));
                run(&format!("inv a.npy -o i.npy --pivoting {pivoting}"));
                run(&format!("det a.npy -o d.npy --pivoting {pivoting}"));
                let x = place.load("x.npy");
                for ((a, b), x) in a.matrices().into_iter().zip(b.matrices()).zip(x.matrices()) {
                    assert_close(&product(a, x), b.data, dtype);
                }
                [x, place.load("i.npy"), place.load("d.npy")]
            });
            // No pivot is small enough to be boosted.
            assert_eq!(solutions[0], solutions[1]);
        }
    }
}

/// Without interchanges a zero in the corner ends it; boosted it does not, and refinement makes good for it.
#[test]
fn zero_pivots() {
    let place = Place::new();
    let a = Array::new("<f8", &[3, 2, 2], [2.0, 1.0, 1.0, 2.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let b = Array::new("<f8", &[3, 2], [3.0, 3.0, 5.0, 7.0, 1.0, 1.0]);
    place.save("a.npy", &a);
    place.save("b.npy", &b);
    for device in ["cpu", "sim"] {
        let run = |args: &str| place.run(&format!("{args} --report r.json --device {device}")).expect(3);
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let factored = run("lu a.npy -o lu.npy --pivots p.npy --growth g.npy --pivoting none --quiet");
        let bad = |b: usize| {
            format!(
                "warplu: a.npy: matrix {b}: the leading block of order 1 is singular, at which LU without \
                 interchanges stops: use --pivoting partial"
            )
        };
        assert_eq!(lines(&factored.stderr), [bad(1), bad(2)]);
        assert!(place.load("g.npy").data[0].re == 1.0 && place.load("g.npy").data[1].re.is_nan());
        assert_eq!(report(&place)["growth"], json!({"max": 1.0, "index": 0}));

        run("lu a.npy -o lu.npy --pivots p.npy --growth g.npy --pivoting boosted:0.5");
        // [0.5 1; 1 0] is [1 0; 2 1] [0.5 1; 0 -2].
        assert_eq!(place.load("lu.npy").data[4..8], [0.5, 1.0, 2.0, -2.0].map(Complex64::from));
        assert_eq!(report(&place)["growth"], json!({"max": 2.0, "index": 1}));
        assert_eq!(report(&place)["pivoting"], json!("boosted:5e-1"));
        assert_eq!(report(&place)["bad"].as_array().unwrap().len(), 1, "nothing can be boosted of a zero matrix");

        run("solve a.npy b.npy -o x.npy --pivoting boosted:1e-3 --refine");
        assert_close(&place.load("x.npy").data[..4], &[1.0, 1.0, 7.0, 5.0].map(Complex64::from), "<f8");
    }
}

#[test]
fn pieces_give_the_same_as_one() {
    for (n, device, memory) in [(9, "cpu", "20K"), (35, "sim", "200K")] {
        let place = Place::new();
        place.save("a.npy", &Array::sample("<c8", &[20, n, n]));
        let run = |name: &str, more: &str| {
            let outputs = format!("-o {name}.npy --pivots p.npy --growth {name}g.npy --device {device} {more}");
            place.run(&format!("lu a.npy {outputs} --pivoting none")).expect(0);
            (place.load(&format!("{name}.npy")), place.load(&format!("{name}g.npy")))
        };
        assert_eq!(run("one", ""), run("pieces", &format!("--memory {memory}")));
    }
}

#[test]
fn that_makes_no_sense() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[2, 3, 3]));
    place.save("b.npy", &Array::sample("<f4", &[2, 3]));
    for (args, words) in [
        ("lu a.npy -o x.npy --pivots p.npy --pivoting full", "boosted:1e-8"),
        ("inv a.npy -o x.npy --pivoting boosted:2", "above 0 and at most 1"),
        ("det a.npy -o x.npy --pivoting boosted:NaN", "above 0 and at most 1"),
        ("solve a.npy b.npy -o x.npy --pivoting none --structure spd", "--structure"),
        ("inv a.npy -o x.npy --pivoting none --structure spd", "--structure"),
        ("det a.npy -o x.npy --pivoting none --structure spd", "--structure"),
        ("lu a.npy -o x.npy --pivots p.npy --growth x.npy", "x.npy is named for two outputs"),
        ("lu a.npy -o x.npy --pivots p.npy --pivoting none --algorithm kernel:getrf_global --device sim", "pivot"),
    ] {
        let run = place.run(args).expect(2);
        assert!(run.stderr.contains(words), "{run:?}");
        assert_eq!(place.files(), ["a.npy", "b.npy"]);
    }
}
