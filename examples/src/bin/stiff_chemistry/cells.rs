//! How cells differ: temperature, light, emissions and what was in the air before.

use warplu_examples::kinetics;
use warplu_examples::pollu::{self, REACTIONS, SPECIES, species::*};

/// Shares of what a street emits, in ppm for each ppm of NO.
const EMITTED: [(usize, f64); 5] = [(NO, 1.0), (NO2, 0.1), (HCHO, 0.05), (ALD, 0.02), (SO2, 0.02)];

/// The conditions in a cell, which stay.
#[derive(Clone, Debug)]
pub(crate) struct Conditions {
    /// K.
    pub(crate) temperature: f64,
    /// 1 is that of the test problem.
    pub(crate) light: f64,
    /// Emission of NO, ppm a minute.
    pub(crate) emitted: f64,
    pub(crate) initial: [f64; SPECIES],
    constants: [f64; REACTIONS],
}

impl Conditions {
    /// The test problem itself, with the published solution.
    pub(crate) fn standard() -> Self {
        Self::new((298.0, 1.0), 0.0, pollu::initial())
    }

    /// Cell `index` of as many as one likes: cell 0 is the standard one, the others are spread evenly over their
    /// conditions, by the fractional parts of multiples of irrational numbers.
    pub(crate) fn of(index: usize) -> Self {
        if index == 0 {
            return Self::standard();
        }
        let [a, b, c, d, e] = [2, 3, 5, 7, 11].map(|prime: u32| (index as f64 * f64::from(prime).sqrt()).fract());
        let mut initial = pollu::initial();
        for (species, by) in [(NO, c), (O3, d), (HCHO, e), (ALD, e)] {
            initial[species] *= 4.0_f64.powf(2.0 * by - 1.0); // between a quarter and four times as much
        }
        // From freezing to a heat wave; from dusk to noon; from the country to a street at rush hour.
        Self::new((270.0 + 40.0 * a, 0.05 + 1.25 * b), 5e-4 * d * d, initial)
    }

    fn new((temperature, light): (f64, f64), emitted: f64, initial: [f64; SPECIES]) -> Self {
        Self { temperature, light, emitted, initial, constants: pollu::constants(temperature, light) }
    }

    /// ppm a minute of each species.
    pub(crate) fn emission(&self) -> [f64; SPECIES] {
        let mut emission = [0.0; SPECIES];
        EMITTED.iter().for_each(|(species, share)| emission[*species] = share * self.emitted);
        emission
    }

    /// dy/dt: chemistry and emissions.
    pub(crate) fn rates(&self, y: &[f64; SPECIES]) -> [f64; SPECIES] {
        let mut change = kinetics::rates(&self.constants, y);
        EMITTED.iter().for_each(|(species, share)| change[*species] += share * self.emitted);
        change
    }

    /// The derivatives of [`Conditions::rates`].
    pub(crate) fn jacobian(&self, y: &[f64; SPECIES]) -> [[f64; SPECIES]; SPECIES] {
        kinetics::jacobian(&self.constants, y)
    }
}
