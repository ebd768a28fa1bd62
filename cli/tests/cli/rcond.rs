//! `--rcond` of `solve` and `lu`.

use num_complex::Complex64;
use serde_json::{Value, json};

use crate::support::{Array, DTYPES, Place, assert_close, product};

/// diag(1, 1/4, 1, ...), whose reciprocal condition number is 1/4 in either norm, and B.
fn place(dtype: &str, shape: &[usize], fortran: bool) -> (Place, Array, Array) {
    let place = Place::new();
    let (n, numbers) = (shape[shape.len() - 1], shape.iter().product::<usize>());
    let diagonal = |at: usize| match (at / n % n, at % n) {
        (1, 1) => 0.25,
        (i, j) => f64::from(u8::from(i == j)),
    };
    let a = Array::new(dtype, shape, (0..numbers).map(diagonal));
    let b = Array::sample(dtype, &[&shape[..shape.len() - 1], &[2]].concat());
    place.write("a.npy", a.encode(fortran));
    place.write("b.npy", b.encode(!fortran));
    (place, a, b)
}

fn report(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap()
}

#[test]
fn is_written_beside_the_rest() {
    for device in ["cpu", "sim"] {
        for dtype in DTYPES {
            for (shape, fortran) in
                [(&[3, 3][..], false), (&[1, 4, 4], true), (&[3, 5, 5], true), (&[2, 40, 40], false)]
            {
                let (place, a, b) = place(dtype, shape, fortran);
                let real = if matches!(dtype, "<f8" | "<c16") { "<f8" } else { "<f4" };
                let (batch, count) = (&shape[..shape.len() - 2], shape[..shape.len() - 2].iter().product());
                let wanted = Array::new(real, batch, vec![0.25; count]);
                for norm in ["", "--norm 1", "--norm inf"] {
                    let options = format!("--rcond r.npy {norm} --device {device}");
                    place.run(&format!("solve a.npy b.npy -o x.npy {options}")).expect(0);
                    assert_eq!(place.load("r.npy"), wanted);
                    let x = place.load("x.npy");
                    assert_eq!((&x.dtype, &x.shape), (&b.dtype, &b.shape));
                    for ((a, b), x) in a.matrices().into_iter().zip(b.matrices()).zip(x.matrices()) {
                        assert_close(&product(a, x), b.data, dtype);
                    }
                    place.run(&format!("lu a.npy -o lu.npy --pivots p.npy --device {device} --quiet")).expect(0);
                    let (lu, pivots) = (place.load("lu.npy"), place.load("p.npy"));
                    place.run(&format!("lu a.npy -o lu.npy --pivots p.npy {options}")).expect(0);
                    assert_eq!(
                        (place.load("lu.npy"), place.load("p.npy"), place.load("r.npy")),
                        (lu, pivots, wanted.clone())
                    );
                }
                assert_eq!(place.files(), ["a.npy", "b.npy", "lu.npy", "p.npy", "r.npy", "x.npy"]);
            }
        }
    }
}

#[test]
fn pieces_give_the_same_as_one() {
    for (n, device, memory) in [(9, "cpu", "20K"), (35, "sim", "200K")] {
        let place = Place::new();
        place.save("a.npy", &Array::sample("<c8", &[20, n, n]));
        place.save("b.npy", &Array::sample("<c8", &[20, n]));
        let run = |x: &str, r: &str, more: &str| {
            let outputs = format!("-o {x} --rcond {r} --norm inf --device {device} {more}");
            place.run(&format!("solve a.npy b.npy {outputs}")).expect(0);
        };
        run("x.npy", "r.npy", "");
        run("xs.npy", "rs.npy", &format!("--memory {memory}"));
        assert_eq!((place.load("x.npy"), place.load("r.npy")), (place.load("xs.npy"), place.load("rs.npy")));
        assert_eq!(place.load("r.npy").shape, [20]);
    }
}

#[test]
fn of_nothing() {
    for (a, b, pivots, rcond) in [
        (&[0, 3, 3][..], &[0, 3][..], &[0, 3][..], &[0][..]),
        (&[2, 0, 0], &[2, 0, 4], &[2, 0], &[2]),
        (&[0, 0], &[0], &[0], &[]),
        (&[2, 2, 2], &[2, 2, 0], &[2, 2], &[2]),
    ] {
        for device in ["cpu", "sim"] {
            let place = Place::new();
            let identity = (0..a.iter().product()).map(|at: usize| f64::from(u8::from(matches!(at % 4, 0 | 3))));
            place.save("a.npy", &Array::new("<f8", a, identity));
            place.save("b.npy", &Array::new("<f8", b, []));
            let run =
                |args: &str| place.run(&format!("{args} --rcond r.npy --report r.json --device {device}")).expect(0);
            let ones = Array::new("<f8", rcond, vec![1.0; rcond.iter().product()]);
            run("solve a.npy b.npy -o x.npy");
            assert_eq!((place.load("x.npy").shape, place.load("r.npy")), (b.to_vec(), ones.clone()));
            run("lu a.npy -o lu.npy --pivots p.npy");
            assert_eq!((place.load("p.npy").shape, place.load("r.npy")), (pivots.to_vec(), ones));
            let min = if rcond == [0] { Value::Null } else { json!(1.0) };
            assert_eq!(report(&place)["rcond"]["min"], min);
        }
    }
}

/// Bad matrices are named as ever; ill-conditioned ones are told of, and change neither results nor the exit code.
#[test]
fn tells_of_ill_conditioned_matrices() {
    let place = Place::new();
    let diagonals = [1.0, 1e-17, 1e-9, 1e-18, 0.0, f64::NAN];
    let data = diagonals.into_iter().flat_map(|x| [1.0, 0.0, 0.0, x]);
    let all = Array::new("<f8", &[6, 2, 2], data);
    let good = Array { shape: vec![4, 2, 2], data: all.data[..16].to_vec(), ..all.clone() };
    place.save("all.npy", &all);
    place.save("good.npy", &good);
    place.save("b.npy", &Array::new("<f8", &[4, 2], [1.0; 8]));
    let worst = "with a reciprocal condition number below 1.110e-16; the worst is matrix 3 with 1.000e-18";
    for device in ["cpu", "sim"] {
        let run = |args: &str| place.run(&format!("{args} --rcond r.npy --report r.json --quiet --device {device}"));
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();

        let solved = run("solve good.npy b.npy -o x.npy").expect(0);
        assert_eq!(lines(&solved.stderr), [format!("warplu: good.npy: ill-conditioned: 2 matrices {worst}")]);
        assert_eq!(place.load("x.npy").data[3], Complex64::from(1.0 / 1e-17));
        assert_eq!(place.load("r.npy"), Array::new("<f8", &[4], diagonals[..4].iter().copied()));
        let found = &report(&place)["rcond"];
        let ill = json!([{"index": 1, "rcond": 1e-17}, {"index": 3, "rcond": 1e-18}]);
        assert_eq!((&found["ill_conditioned"], &found["norm"], &found["min"]), (&ill, &json!("1"), &json!(1e-18)));
        // Read again, its last bit is another.
        assert!((found["limit"].as_f64().unwrap() / (f64::EPSILON / 2.0) - 1.0).abs() < 1e-12, "{found}");
        assert_eq!(report(&place)["bad"], json!([]));

        let factored = run("lu all.npy -o lu.npy --pivots p.npy --rcond-limit 1e-8 --norm inf").expect(3);
        let lines = lines(&factored.stderr);
        assert!(lines[0].contains("ill-conditioned: 3 matrices with a reciprocal condition number below 1.000e-8"));
        let bad =
            ["warplu: all.npy: matrix 4 is singular (U[1][1] is zero)", "warplu: all.npy: matrix 5 is not finite"];
        assert_eq!(lines[1..], bad);
        let rcond = place.load("r.npy").data;
        assert!(rcond[4].re == 0.0 && rcond[5].re.is_nan(), "{rcond:?}");
        assert_eq!(report(&place)["rcond"]["ill_conditioned"].as_array().unwrap().len(), 3);
        assert_eq!(report(&place)["bad"].as_array().unwrap().len(), 2);
        assert_eq!(report(&place)["outputs"], json!(["lu.npy", "p.npy", "r.npy"]));
    }
}

#[test]
fn that_cannot_be_written_or_makes_no_sense() {
    let (place, _, _) = place("<f4", &[2, 3, 3], false);
    place.write("old.npy", "old");
    let fails = |code: i32, args: &str, words: &[&str]| {
        place.run(&format!("solve a.npy b.npy -o x.npy {args} --device cpu")).expect_failure(code, words);
        place.run(&format!("lu a.npy -o x.npy --pivots p.npy {args} --device cpu")).expect_failure(code, words);
        assert_eq!(place.files(), ["a.npy", "b.npy", "old.npy"]);
    };
    fails(1, "--rcond none/r.npy", &["none/r.npy", "create its directory"]);
    fails(1, "--rcond a.npy/r.npy", &["a.npy/r.npy"]);
    fails(1, "--rcond old.npy --report none/r.json", &["none/r.json"]);
    fails(2, "--rcond x.npy", &["x.npy is named for two outputs"]);
    fails(2, "--rcond r.npy --report r.npy", &["r.npy is named for two outputs"]);
    assert_eq!(std::fs::read(place.path("old.npy")).unwrap(), b"old");
    for (args, words) in [
        ("--norm inf", "--rcond"),
        ("--rcond-limit 0.1", "--rcond"),
        ("--rcond r.npy --norm 2", "use 1 or inf"),
        ("--rcond r.npy --rcond-limit 2", "from 0 to 1"),
        ("--rcond r.npy --rcond-limit nan", "from 0 to 1"),
    ] {
        let run = place.run(&format!("solve a.npy b.npy -o x.npy {args} --device cpu")).expect(2);
        assert!(run.stderr.contains(words), "{run:?}");
        assert_eq!(place.files(), ["a.npy", "b.npy", "old.npy"]);
    }
}
