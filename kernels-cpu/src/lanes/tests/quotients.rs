//! Quotients from reciprocals have the bits of divisions.

use numbers::scalar::Real;

use super::{Random, bits};
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

impl<S: LaneScalar<Real = S> + Real> Routine for Quotients<'_, S> {
    type Scalar = S;
    type Output = Vec<S>;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(self) -> Vec<S> {
        let mut quotients = Vec::new();
        // SAFETY: the CPU has the instructions, and arrays are long enough for any vector.
        unsafe {
            let divisor = N::splat(self.divisor).reciprocal();
            for x in self.x.chunks(N::Vector::LANES) {
                let mut lanes = [S::ZERO; MAX_LANES];
                lanes[..x.len()].copy_from_slice(x);
                N::load(lanes.as_ptr().cast()).divide_by(divisor).store(lanes.as_mut_ptr().cast());
                quotients.extend_from_slice(&lanes[..x.len()]);
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
