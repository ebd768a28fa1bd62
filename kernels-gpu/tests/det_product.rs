//! The running product of a determinant.

#![cfg(not(target_arch = "nvptx64"))]

use numbers::det_product::LogProduct;
use numbers::scalar::c64;

const ZERO: c64 = c64::new(0.0, 0.0);

fn product(factors: &[c64]) -> LogProduct {
    factors.iter().fold(LogProduct::ONE, |product, &z| product.times(z))
}

fn norm(z: c64) -> f64 {
    z.re.hypot(z.im)
}

fn real(x: f64) -> LogProduct {
    product(&[c64::new(x, 0.0)])
}

#[test]
fn normalises_every_exponent_exactly() {
    for e in -1074..=1023 {
        let x = 2.0_f64.powi(e / 2) * 2.0_f64.powi(e - e / 2);
        for (z, phase) in [
            (c64::new(x, 0.0), c64::new(1.0, 0.0)),
            (c64::new(-x, 0.0), c64::new(-1.0, 0.0)),
            (c64::new(0.0, x), c64::new(0.0, 1.0)),
            (c64::new(0.0, -x), c64::new(0.0, -1.0)),
        ] {
            let p = product(&[z]);
            assert_eq!((p.mantissa, p.exponent), (phase, i64::from(e)));
            assert_eq!(p.phase(), phase);
            let log = f64::from(e) * std::f64::consts::LN_2;
            assert!((p.log_abs() - log).abs() <= log.abs() * f64::EPSILON, "2^{e}");
        }
    }
}

#[test]
fn the_larger_part_stays_in_range() {
    let factors = [c64::new(3.0, 1e-310), c64::new(-5e-324, 1e-323), c64::new(1.7e308, -1.7e308), c64::new(0.1, 9.0)];
    let mut p = LogProduct::ONE;
    for z in factors.into_iter().cycle().take(1000) {
        p = p.times(z);
        let larger = p.mantissa.re.abs().max(p.mantissa.im.abs());
        assert!((1.0..2.0).contains(&larger));
        assert!((norm(p.phase()) - 1.0).abs() < 1e-15);
    }
}

#[test]
fn real_products_have_an_exact_sign() {
    let mut p = LogProduct::ONE;
    let mut sign = 1.0;
    let mut x = 0.37;
    for _ in 0..2000 {
        x = -x * 1.618_f64;
        x = if x.abs() > 1e250 { x * 1e-300 } else { x };
        (p, sign) = (p.times(c64::new(x, 0.0)), if x < 0.0 { -sign } else { sign });
        assert_eq!((p.phase().re, p.phase().im), (sign, 0.0));
        assert_eq!(p.negate().phase().re, -sign);
    }
}

#[test]
fn logarithms_near_one_keep_their_digits() {
    for x in [1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON, 1.0 - 1e-9, 0.75, 1.3, 1.5] {
        let log = f64::ln(x);
        assert!((real(x).log_abs() - log).abs() <= 2.0 * f64::EPSILON * log.abs(), "{x}");
    }
    assert_eq!(LogProduct::ONE.log_abs(), 0.0);
    // A square of magnitude sqrt(2) * 2^-1074 is 2^-2147.
    let z = c64::new(5e-324, 5e-324);
    assert!((product(&[z, z]).log_abs() + 2147.0 * std::f64::consts::LN_2).abs() < 1e-12);
}

#[test]
fn zero_and_non_finite_factors() {
    let zero = product(&[c64::new(2.0, 0.0), ZERO, c64::new(1e300, 1.0)]);
    assert_eq!((zero.phase(), zero.log_abs()), (ZERO, f64::NEG_INFINITY));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for z in [c64::new(bad, 0.0), c64::new(0.0, bad), c64::new(bad, bad)] {
            for p in [product(&[z]), product(&[ZERO, z]), product(&[z, ZERO]), real(3.0).combine(product(&[z]))] {
                assert!(p.phase().re.is_nan() && p.phase().im.is_nan() && p.log_abs().is_nan());
            }
        }
    }
}

#[test]
fn combining_is_multiplying() {
    let (a, b) = (c64::new(1e200, -3e200), c64::new(-2e250, 1e249));
    let both = product(&[a, b]);
    assert_eq!(product(&[a]).combine(product(&[b])), both);
    let log = norm(a).ln() + norm(b).ln();
    assert!((both.log_abs() - log).abs() < 1e-12);
    let phase = (a / norm(a)) * (b / norm(b));
    assert!(norm(both.phase() - phase) < 1e-15);
}
