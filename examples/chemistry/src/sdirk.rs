//! SDIRK4, a singly diagonally implicit Runge-Kutta method of order 4 with 5 stages, L-stable and stiffly accurate, with
//! an embedded method of order 3 (Hairer and Wanner, *Solving Ordinary Differential Equations II*, section IV.6, table
//! 6.5).

use crate::pollu::SPECIES;

/// Concentrations, or their changes.
pub type State = [f64; SPECIES];

pub(crate) const STAGES: usize = 5;
pub(crate) const GAMMA: f64 = 0.25;

/// Coefficients below the diagonal. The last stage is the solution.
const A: [[f64; STAGES]; STAGES] = [
    [0.0; STAGES],
    [1.0 / 2.0, 0.0, 0.0, 0.0, 0.0],
    [17.0 / 50.0, -1.0 / 25.0, 0.0, 0.0, 0.0],
    [371.0 / 1360.0, -137.0 / 2720.0, 15.0 / 544.0, 0.0, 0.0],
    [25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0, 0.0],
];

/// Weights of the solution less those of the embedded method.
pub(crate) const ERROR: [f64; STAGES] = [-3.0 / 16.0, -27.0 / 32.0, 25.0 / 32.0, 0.0, 1.0 / 4.0];

/// The coefficients of a stage.
#[inline(always)]
pub(crate) fn row(stage: u32) -> [f64; STAGES] {
    let mut wanted = [0.0; STAGES];
    // All are looked at, so that none has an index that is only known when it runs.
    for (row, number) in A.iter().zip(0..) {
        wanted = if number == stage { *row } else { wanted };
    }
    wanted
}

/// The sum of all stages, each times its weight.
#[inline(always)]
pub(crate) fn weighted(weights: &[f64; STAGES], stages: &[State; STAGES]) -> State {
    let mut sum = [0.0; SPECIES];
    for (weight, stage) in weights.iter().zip(stages) {
        for i in 0..SPECIES {
            sum[i] += weight * stage[i];
        }
    }
    sum
}
