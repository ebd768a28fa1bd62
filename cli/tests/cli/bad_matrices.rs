//! Singular and non-finite matrices: exit code 3, their names on stderr, and their neighbours as good as alone.

use crate::support::{Array, DTYPES, Place};

/// Five matrices, of which number 1 is singular at its third pivot and number 3 holds a NaN.
fn some_bad(dtype: &str) -> Array {
    let mut a = Array::sample(dtype, &[5, 4, 4]);
    for at in 16..32 {
        let (i, j) = (at / 4 % 4, at % 4);
        a.data[at] = (if i == j && i != 2 { 1.0 } else { 0.0 }).into();
    }
    a.data[3 * 16 + 6] = f64::NAN.into();
    a
}

fn each(check: impl Fn(&Place, &str, &str)) {
    for dtype in DTYPES {
        for device in ["cpu", "sim"] {
            let place = Place::new();
            place.save("a.npy", &some_bad(dtype));
            place.save("good.npy", &Array::sample(dtype, &[5, 4, 4]));
            check(&place, dtype, device);
        }
    }
}

/// Checks that the outputs are the same but for matrices 1 and 3, which are all NaN in the first.
fn compare(bad: &Array, good: &Array) {
    let each = bad.data.len() / 5;
    for (b, (bad, good)) in bad.data.chunks(each).zip(good.data.chunks(each)).enumerate() {
        match b {
            1 | 3 => assert!(bad.iter().all(|z| z.re.is_nan())),
            _ => assert_eq!(bad, good),
        }
    }
}

#[test]
fn inv() {
    each(|place, _, device| {
        place.run(&format!("inv good.npy -o good_x.npy --device {device} --quiet")).expect(0);
        let run = place.run(&format!("inv a.npy -o x.npy --device {device} --quiet")).expect(3);
        let lines: Vec<_> = run.stderr.lines().collect();
        let singular = "warplu: a.npy: matrix 1 is singular (U[2][2] is zero)";
        assert_eq!(lines, [singular, "warplu: a.npy: matrix 3 is not finite"]);
        compare(&place.load("x.npy"), &place.load("good_x.npy"));
    });
}

#[test]
fn solve() {
    each(|place, dtype, device| {
        place.save("b.npy", &Array::sample(dtype, &[5, 4, 3]));
        place.run(&format!("solve good.npy b.npy -o good_x.npy --device {device} --quiet")).expect(0);
        let run = place.run(&format!("solve a.npy b.npy -o x.npy --device {device}")).expect(3);
        assert!(
            run.stderr.contains("matrix 1 is singular") && run.stderr.contains("matrix 3 is not finite"),
            "{run:?}"
        );
        compare(&place.load("x.npy"), &place.load("good_x.npy"));
    });
}

/// Right-hand sides spoil their own solutions only, and are named by their own file.
#[test]
fn right_hand_sides() {
    each(|place, dtype, device| {
        let good = Array::sample(dtype, &[5, 4, 3]);
        let mut bad = Array::sample(dtype, &[5, 4, 3]);
        bad.data[2 * 12 + 4] = f64::INFINITY.into();
        place.save("b.npy", &good);
        place.save("bad.npy", &bad);
        place.run(&format!("lu good.npy -o lu.npy --pivots p.npy --device {device} --quiet")).expect(0);
        for verb in ["solve good.npy", "lu-solve lu.npy p.npy"] {
            place.run(&format!("{verb} b.npy -o good_x.npy --device {device} --quiet")).expect(0);
            let run = place.run(&format!("{verb} bad.npy -o x.npy --device {device} --quiet")).expect(3);
            let told = "warplu: bad.npy: right-hand side 1 of matrix 2, or its solution, is not finite";
            assert_eq!(run.stderr.lines().collect::<Vec<_>>(), [told]);
            let (x, good_x) = (place.load("x.npy"), place.load("good_x.npy"));
            for (at, (x, good)) in x.data.iter().zip(&good_x.data).enumerate() {
                assert!(if at / 12 == 2 && at % 3 == 1 { x.re.is_nan() } else { x == good }, "{at}");
            }
        }
    });
}

#[test]
fn lu_of_singular_matrices_is_complete() {
    each(|place, _, device| {
        place.run(&format!("lu a.npy -o lu.npy --pivots p.npy --device {device}")).expect(3);
        let lu = place.load("lu.npy");
        assert!(lu.data[16..32].iter().all(|z| z.re.is_finite()));
        assert_eq!(lu.matrices()[1].get(2, 2), 0.0.into());
    });
}

#[test]
fn det() {
    each(|place, _, device| {
        place.run(&format!("det a.npy -o det.npy --device {device}")).expect(3);
        let det = place.load("det.npy");
        assert_eq!((det.data[2].re, det.data[3].re), (0.0, f64::NEG_INFINITY));
        assert!(det.data[6].re.is_nan() && det.data[7].re.is_nan());
        assert!(det.data[4].re.is_finite());
    });
}

#[test]
fn at_most_ten_are_named() {
    let place = Place::new();
    place.save("a.npy", &Array::new("<f4", &[30, 1, 1], [0.0; 30]));
    let run = place.run("inv a.npy -o x.npy --device cpu --quiet").expect(3);
    assert_eq!(run.stderr.lines().count(), 11, "{run:?}");
    assert!(run.stderr.contains("matrix 9 is") && !run.stderr.contains("matrix 10 is"), "{run:?}");
    assert!(run.stderr.ends_with("and 20 more\n"), "{run:?}");
    assert!(place.load("x.npy").data.iter().all(|z| z.re.is_nan()));
}
