//! Mass-action kinetics: rates of change and their Jacobian, generic over the scalar.
//!
//! All loops have constant bounds, nothing is allocated, and of the scalar only sums and products are asked. So the
//! same functions serve f64 on the host, complex numbers in the test below, and a GPU: there all loops unroll, so that
//! of the Jacobian only what is not zero is computed.

use core::ops::{Add, Mul, Sub};

use crate::pollu::{MECHANISM, REACTIONS, SPECIES};

/// A number whose default is zero.
pub trait Number: Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<S: Copy + Default + Add<Output = S> + Sub<Output = S> + Mul<Output = S>> Number for S {}

/// How fast each concentration of `y` changes, for the rate constants `k`.
#[inline(always)]
pub fn rates<S: Number>(k: &[S; REACTIONS], y: &[S; SPECIES]) -> [S; SPECIES] {
    let mut change = [S::default(); SPECIES];
    for (reaction, &k) in MECHANISM.iter().zip(k) {
        let rate = reaction.from.iter().fold(k, |rate, &species| rate * y[species]);
        for &species in reaction.from {
            change[species] = change[species] - rate;
        }
        for &species in reaction.to {
            change[species] = change[species] + rate;
        }
    }
    change
}

/// The derivatives of [`rates`], row by row: element (i, j) is how the rate of species i changes with the concentration
/// of species j.
#[inline(always)]
pub fn jacobian<S: Number>(k: &[S; REACTIONS], y: &[S; SPECIES]) -> [[S; SPECIES]; SPECIES] {
    let mut jacobian = [[S::default(); SPECIES]; SPECIES];
    for (reaction, &k) in MECHANISM.iter().zip(k) {
        for (place, &by) in reaction.from.iter().enumerate() {
            // The product rule: the rate without this factor.
            let others = reaction.from.iter().enumerate().filter(|(other, _)| *other != place);
            let slope = others.fold(k, |slope, (_, &species)| slope * y[species]);
            for &species in reaction.from {
                jacobian[species][by] = jacobian[species][by] - slope;
            }
            for &species in reaction.to {
                jacobian[species][by] = jacobian[species][by] + slope;
            }
        }
    }
    jacobian
}

#[cfg(test)]
mod tests {
    use num_complex::Complex64 as c64;

    use super::*;
    use crate::pollu::{NITROGEN, REFERENCE, constants, species::*};

    /// A complex step gives derivatives without cancellation: f(y + i h) = f(y) + i h f'(y) + O(h^2), h as small as one
    /// likes (Squire and Trapp, SIAM Review 40, 1998).
    #[test]
    fn jacobian_is_the_derivative_of_the_rates() {
        let k = constants(283.0, 0.7);
        let jacobian = jacobian(&k, &REFERENCE);
        let step = 1e-30;
        for j in 0..SPECIES {
            let mut y = REFERENCE.map(|y| c64::new(y, 0.0));
            y[j].im = step;
            let along = rates(&k.map(|k| c64::new(k, 0.0)), &y);
            for i in 0..SPECIES {
                let (expected, found) = (along[i].im / step, jacobian[i][j]);
                let size = 1e-14 * expected.abs() + 1e-12; // sums that cancel leave the rounding of their terms
                assert!((found - expected).abs() <= size, "({i}, {j}): {found} and {expected}");
            }
        }
    }

    /// The right-hand sides of the test set, written out there, for two species with many reactions.
    #[test]
    fn rates_are_those_of_the_test_set() {
        let (k, y) = (constants(298.0, 1.0), REFERENCE);
        let r = |n: usize| MECHANISM[n - 1].from.iter().fold(k[n - 1], |rate, &species| rate * y[species]);
        let change = rates(&k, &y);
        let no2 = -r(1) - r(10) - r(14) - r(23) - r(24) + r(2) + r(3) + r(9) + r(11) + r(12) + r(22) + r(25);
        let ho2 = -r(3) + 2.0 * r(4) + r(6) + r(7) + r(13) + r(20);
        let oh = -r(6) - r(8) - r(14) - r(20) + r(3) + 2.0 * r(18);
        let o3 = -r(2) - r(16) - r(17) - r(23) + r(15);
        for (species, expected) in [(NO2, no2), (HO2, ho2), (OH, oh), (O3, o3)] {
            assert!((change[species] - expected).abs() < 1e-15, "{species}: {} and {expected}", change[species]);
        }
    }

    #[test]
    fn nitrogen_is_neither_made_nor_lost() {
        let change = rates(&constants(275.0, 0.3), &REFERENCE);
        let sum: f64 = NITROGEN.iter().zip(change).map(|(atoms, change)| atoms * change).sum();
        assert!(sum.abs() < 1e-16, "{sum}");
    }
}
