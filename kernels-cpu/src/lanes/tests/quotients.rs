//! Quotients from reciprocals have the bits of divisions; complex ones are right wherever they are in the range.

use num_complex::Complex;
use numbers::scalar::{Real, Scalar, c64};

use super::{Random, bits, modulus, roundoff};
use crate::lanes::Isa;
use crate::lanes::isa::LaneScalar;
use crate::lanes::number::Number;
use crate::lanes::routine::Routine;
use crate::lanes::vector::{MAX_LANES, Vector};

/// Divides each number by a divisor, the same in all lanes.
struct Quotients<'a, S> {
    x: &'a [S],
    divisor: S,
}

impl<S: LaneScalar> Routine for Quotients<'_, S> {
    type Scalar = S;
    type Output = Vec<S>;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(self) -> Vec<S> {
        let (lanes, mut quotients) = (N::Vector::LANES, Vec::new());
        // SAFETY: the CPU has the instructions, and arrays are long enough for any vector.
        unsafe {
            let divisor = N::splat(self.divisor).reciprocal();
            for x in self.x.chunks(lanes) {
                let mut parts = [<S::Real as Scalar>::ZERO; 2 * MAX_LANES]; // shape (parts, lanes)
                for (lane, x) in x.iter().enumerate() {
                    parts[lane] = S::Real::from_f64(x.to_c64().re);
                    parts[lanes + lane] = S::Real::from_f64(x.to_c64().im);
                }
                N::load(parts.as_ptr().cast()).divide_by(divisor).store(parts.as_mut_ptr().cast());
                let quotient = |lane: usize| c64::new(parts[lane].to_f64(), parts[lanes + lane].to_f64());
                quotients.extend((0..x.len()).map(|lane| S::from_c64(quotient(lane))));
            }
        }
        quotients
    }
}

/// Numbers of all magnitudes, those next to powers of two among them, which round in the closest ways.
fn numbers<S: Real>(random: &mut Random, count: usize) -> Vec<S> {
    let ulp = if size_of::<S>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let extreme = [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, 5e-324, 1e-40, 1e-310, 1e300, 1e38].map(S::from_f64);
    let others = (0..count).map(|i| {
        let mantissa = match i % 4 {
            0 => 1.0 + (random.bits() % 64) as f64 * ulp,
            1 => 2.0 - (1 + random.bits() % 64) as f64 * ulp,
            _ => 1.0 + random.real().abs(),
        };
        let exponent = (random.bits() % 141) as i32 - 70;
        S::from_f64(mantissa * if i % 16 < 13 { f64::powi(2.0, exponent / 24) } else { f64::powi(2.0, exponent) })
    });
    others.chain(extreme).collect()
}

fn check<S: LaneScalar<Real = S> + Real>() {
    let mut random = Random(1);
    let x = numbers::<S>(&mut random, 3000);
    for divisor in numbers::<S>(&mut random, 300) {
        // Nothing is divided by zero.
        let expected = |x: S| if divisor == S::ZERO { x } else { x / divisor };
        for isa in Isa::available() {
            // SAFETY: the routine demands nothing.
            let quotients = unsafe { isa.run(Quotients { x: &x, divisor }) };
            for (&quotient, &x) in quotients.iter().zip(&x) {
                assert_eq!(bits(quotient), bits(expected(x)), "{isa:?}: {x:?} / {divisor:?}");
            }
        }
    }
}

#[test]
fn of_f32() {
    check::<f32>();
}

#[test]
fn of_f64() {
    check::<f64>();
}

/// `z * 2^exponent`, in steps of which none but the last rounds.
fn times_power(z: c64, exponent: i32) -> c64 {
    let step = exponent.clamp(-900, 900);
    let scaled = z.scale(2_f64.powi(step));
    if step == exponent { scaled } else { times_power(scaled, exponent - step) }
}

/// Complex dividends and divisors of all exponents, whose parts differ by all kinds of magnitudes, against quotients
/// of numbers near one.
fn check_complex<R: Real>(step: usize)
where
    Complex<R>: LaneScalar<Real = R>,
{
    let (smallest, largest) = if size_of::<R>() == 4 { (-126, 127) } else { (-1022, 1023) };
    let mut random = Random(1);
    let mut near_one = || {
        let ratio = 2_f64.powi([0, 0, 1, -1, 9, -9, 40, -40][(random.bits() % 8) as usize]);
        let z: Complex<R> = Scalar::from_c64(c64::new(1.0 + random.real().abs(), random.real() * ratio));
        let z = z.to_c64();
        z.scale(2_f64.powi(-(z.re.abs().max(z.im.abs())).log2().floor() as i32))
    };
    let exponents: Vec<i32> = (smallest..=largest).step_by(step).chain([smallest, largest]).collect();
    for &of_divisor in &exponents {
        let divisor = near_one();
        let numbers: Vec<(c64, i32)> = exponents.iter().map(|&exponent| (near_one(), exponent)).collect();
        let scaled = |(z, exponent): (c64, i32)| Complex::<R>::from_c64(times_power(z, exponent));
        let x: Vec<_> = numbers.iter().map(|&number| scaled(number)).collect();
        let divisor_scaled = scaled((divisor, of_divisor));
        let check = |what: &str, quotient: Complex<R>, (z, exponent): (c64, i32)| {
            let exponent = exponent - of_divisor;
            let exact = z / divisor;
            if exponent + 2 > largest {
                return; // may overflow
            }
            let error = modulus(times_power(quotient.to_c64(), -exponent) - exact);
            // Subnormal parts are rounded to a multiple of the smallest number.
            let grain = times_power(c64::new(roundoff::<R>(), 0.0), smallest - exponent).re;
            let bound = 8.0 * roundoff::<R>() * modulus(exact) + 3.0 * grain;
            assert!(error <= bound, "{what}: {z} 2^{exponent} / ({divisor} 2^{of_divisor}): {quotient:?}");
        };
        for (&x, &number) in x.iter().zip(&numbers) {
            check("one by one", x.divide(divisor_scaled.divisor()), number);
            let (scale, reciprocal) = divisor_scaled.scaled_reciprocal();
            check("by the reciprocal", x.scale(scale) * reciprocal, number);
        }
        for isa in Isa::available() {
            // SAFETY: the routine demands nothing.
            let quotients = unsafe { isa.run(Quotients { x: &x, divisor: divisor_scaled }) };
            for (&quotient, &number) in quotients.iter().zip(&numbers) {
                check(&format!("{isa:?}"), quotient, number);
            }
        }
    }
}

#[test]
fn of_c32() {
    check_complex::<f32>(5);
}

#[test]
fn of_c64() {
    check_complex::<f64>(19);
}
