//! `--algorithm`.

use crate::support::{Array, Place};

fn symmetric() -> Array {
    let mut a = Array::sample("<f8", &[2, 3, 3]);
    for (at, x) in a.data.iter_mut().enumerate() {
        let (i, j) = (at / 3 % 3, at % 3);
        *x = (if i == j { 4.0 } else { (i + j) as f64 * 0.25 }).into();
    }
    a
}

#[test]
fn published_algorithms_agree_with_the_default() {
    let place = Place::new();
    place.save("a.npy", &symmetric());
    place.run("inv a.npy -o x.npy --device sim --quiet").expect(0);
    let wanted = place.load("x.npy");
    for algorithm in [
        "left-looking:nb=8",
        "right-looking",
        "corrected:nb=14,columns=swap",
        "element-wise",
        "bordering",
        "bordering:block=1",
        "bordering:block=32",
    ] {
        place.run(&format!("inv a.npy -o y.npy --device sim --quiet --algorithm {algorithm}")).expect(0);
        let close = |(x, y): (&num_complex::Complex<f64>, &num_complex::Complex<f64>)| (x - y).norm() < 1e-14;
        assert!(wanted.data.iter().zip(&place.load("y.npy").data).all(close), "{algorithm}");
    }
}

#[test]
fn a_singular_leading_block_names_its_order_and_the_remedy() {
    let place = Place::new();
    let mut a = symmetric();
    a.data[0] = 0.0.into();
    place.save("a.npy", &a);
    let run = place.run("inv a.npy -o x.npy --device sim --algorithm bordering:block=1 --quiet").expect(3);
    assert!(run.stderr.contains("matrix 0: the leading block of order 1 is singular"), "{run:?}");
    assert!(run.stderr.contains("use --algorithm auto"), "{run:?}");
    place.run("inv a.npy -o x.npy --device sim --quiet").expect(0);
}

#[test]
fn wrong_algorithms_are_usage() {
    let place = Place::new();
    place.save("a.npy", &symmetric());
    for (args, says) in [
        ("inv a.npy -o x.npy --algorithm gauss", "use auto, latency, left-looking"),
        ("inv a.npy -o x.npy --device sim --algorithm left-looking:nb=9", "use 8, 10"),
        ("inv a.npy -o x.npy --device sim --algorithm bordering:block=2", "use auto, 1, 32"),
        ("inv a.npy -o x.npy --device sim --algorithm elimination", "only solves"),
        ("inv a.npy -o x.npy --device cpu --algorithm bordering", "`cuda` or `sim`"),
    ] {
        let run = place.run(args).expect(2);
        assert!(run.stderr.contains(says), "{run:?}");
    }
    assert_eq!(place.files(), ["a.npy"]);
}

/// Elimination and bordering leave no factors, and all choose their pivots themselves.
#[test]
fn what_published_algorithms_do_not_do_is_refused() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f8", &[3, 3]));
    place.save("b.npy", &Array::sample("<f8", &[3]));
    for (args, words) in [
        ("lu a.npy -o x.npy --pivots p.npy --pivoting none --algorithm left-looking", ["left-looking", "`partial`"]),
        ("lu a.npy -o x.npy --pivots p.npy --rcond r.npy --algorithm bordering", ["bordering", "auto"]),
        ("solve a.npy b.npy -o x.npy --rcond r.npy --algorithm bordering", ["bordering", "auto"]),
        ("solve a.npy b.npy -o x.npy --rcond r.npy --algorithm elimination", ["elimination", "factors"]),
        ("solve a.npy b.npy -o x.npy --refine --algorithm elimination", ["elimination", "factors"]),
    ] {
        place.run(&format!("{args} --device sim")).expect_failure(2, &words);
        assert_eq!(place.files(), ["a.npy", "b.npy"]);
    }
}
