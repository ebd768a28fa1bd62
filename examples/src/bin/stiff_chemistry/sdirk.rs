//! One cell's integrator: SDIRK4, a singly diagonally implicit Runge-Kutta method of order 4 with 5 stages, L-stable
//! and stiffly accurate, with an embedded method of order 3 (Hairer and Wanner, *Solving Ordinary Differential
//! Equations II*, section IV.6, table 6.5; Newton's method and its end as in section IV.8).
//!
//! All stages of a step have the same matrix, I - h gamma J. A cell solves nothing itself: it *asks* for the solution
//! of that system with some right-hand side, is *answered*, and goes on, until its step is done or has failed. So cells
//! at different stages share a batch.

use warplu_examples::pollu::SPECIES;

use crate::cells::Conditions;

type State = [f64; SPECIES];

const STAGES: usize = 5;
const GAMMA: f64 = 0.25;

/// The stages' coefficients below the diagonal. The last stage is the solution.
const A: [[f64; STAGES]; STAGES] = [
    [0.0; STAGES],
    [1.0 / 2.0, 0.0, 0.0, 0.0, 0.0],
    [17.0 / 50.0, -1.0 / 25.0, 0.0, 0.0, 0.0],
    [371.0 / 1360.0, -137.0 / 2720.0, 15.0 / 544.0, 0.0, 0.0],
    [25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0, 0.0],
];

/// Weights of the solution less those of the embedded method.
const ERROR: [f64; STAGES] = [-3.0 / 16.0, -27.0 / 32.0, 25.0 / 32.0, 0.0, 1.0 / 4.0];

/// Of the permitted error of a step, what Newton's method may leave.
const NEWTON_SHARE: f64 = 0.03;
const NEWTON_LIMIT: usize = 10;

/// Permitted error of a step: absolute, and relative to each concentration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    pub(crate) absolute: f64,
    pub(crate) relative: f64,
}

/// What a cell waits for.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// A correction of a stage, the last one having been of some norm.
    Newton {
        stage: usize,
        iteration: usize,
        last: f64,
    },
    /// The estimate of the step's error.
    Estimate,
    /// The other cells; the error is this, 1 being the permitted one.
    Done(f64),
    Failed,
}

/// Steps by what became of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) accepted: usize,
    /// The error was too large.
    pub(crate) rejected: usize,
    /// Newton's method did not converge, or the matrix was singular.
    pub(crate) failed: usize,
}

/// A cell on its way.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) index: usize,
    pub(crate) conditions: Conditions,
    /// Minutes.
    pub(crate) time: f64,
    /// Concentrations at that time.
    pub(crate) y: State,
    pub(crate) steps: Steps,
    /// Times and concentrations, where they are wanted.
    pub(crate) history: Option<Vec<(f64, State)>>,
    tolerance: Tolerance,
    /// Of the next step, as planned; `h` is that of the step under way.
    width: f64,
    h: f64,
    /// dy/dt at y, as the last stage of the last step has it.
    slope: State,
    /// h dy/dt of the stages that are done.
    stages: [State; STAGES],
    /// The stage under way, less y.
    z: State,
    phase: Phase,
    /// How far Newton's method lags behind its last correction.
    lag: f64,
    after_rejection: bool,
}

impl Cell {
    /// Cell `index`, with a first step that is short beside all but the fastest reactions.
    pub(crate) fn new(index: usize, conditions: Conditions, tolerance: Tolerance) -> Self {
        let zero = [0.0; SPECIES];
        Self {
            index,
            time: 0.0,
            y: conditions.initial,
            conditions,
            steps: Steps::default(),
            history: None,
            tolerance,
            width: 1e-6,
            h: 0.0,
            slope: zero,
            stages: [zero; STAGES],
            z: zero,
            phase: Phase::Failed,
            lag: 1.0,
            after_rejection: false,
        }
    }

    /// With another first step, in minutes.
    #[cfg(test)]
    pub(crate) fn with_width(self, width: f64) -> Self {
        Self { width, ..self }
    }

    /// Keeps what happens.
    pub(crate) fn with_history(self) -> Self {
        Self { history: Some(vec![(self.time, self.y)]), ..self }
    }

    /// Whether steps have become too short to get anywhere.
    pub(crate) fn is_stuck(&self) -> bool {
        !(self.width > 1e-15)
    }

    /// Begins a step that does not go beyond `end`, and writes its matrix, row by row.
    pub(crate) fn begin(&mut self, end: f64, matrix: &mut [f64]) {
        self.h = self.width.min(end - self.time);
        let jacobian = self.conditions.jacobian(&self.y);
        for (i, row) in matrix.chunks_exact_mut(SPECIES).enumerate() {
            for (j, element) in row.iter_mut().enumerate() {
                *element = f64::from(i == j) - self.h * GAMMA * jacobian[i][j];
            }
        }
        self.begin_stage(0);
    }

    /// Writes the right-hand side of the system that the cell wants solved. Where it wants none, that is zero, and the
    /// answer is false.
    pub(crate) fn ask(&self, b: &mut [f64]) -> bool {
        match self.phase {
            Phase::Newton { stage, .. } => {
                let (known, y) = (self.known(stage), std::array::from_fn(|i| self.y[i] + self.z[i]));
                let rates = self.conditions.rates(&y);
                for (i, b) in b.iter_mut().enumerate() {
                    *b = known[i] + self.h * GAMMA * rates[i] - self.z[i];
                }
            }
            Phase::Estimate => {
                for (i, b) in b.iter_mut().enumerate() {
                    *b = ERROR.iter().zip(&self.stages).map(|(weight, stage)| weight * stage[i]).sum();
                }
            }
            Phase::Done(_) | Phase::Failed => b.fill(0.0),
        }
        matches!(self.phase, Phase::Newton { .. } | Phase::Estimate)
    }

    /// Takes the solution of what was asked for.
    pub(crate) fn answer(&mut self, x: &[f64]) {
        match self.phase {
            Phase::Newton { stage, iteration, last } => {
                self.z.iter_mut().zip(x).for_each(|(z, x)| *z += x);
                let change = self.norm(x);
                let ratio = change / last; // the first time, 0
                if iteration > 0 {
                    self.lag = ratio / (1.0 - ratio);
                }
                // A NaN is not below 1 either.
                self.phase = if !(ratio < 1.0) || iteration == NEWTON_LIMIT {
                    Phase::Failed
                } else if self.lag * change <= NEWTON_SHARE {
                    return self.end_stage(stage);
                } else {
                    Phase::Newton { stage, iteration: iteration + 1, last: change }
                };
            }
            Phase::Estimate => {
                let error = self.norm(x);
                self.phase = if error.is_finite() { Phase::Done(error) } else { Phase::Failed };
            }
            Phase::Done(_) | Phase::Failed => {}
        }
    }

    /// Gives the step up, as its matrix is singular or not finite.
    pub(crate) fn fail(&mut self) {
        self.phase = Phase::Failed;
    }

    /// Ends the step, and plans the next one.
    pub(crate) fn end(&mut self, end: f64) {
        let Phase::Done(error) = self.phase else {
            self.steps.failed += 1;
            (self.width, self.after_rejection, self.lag) = (self.h / 2.0, true, 1.0);
            return;
        };
        let factor = (0.9 * error.powf(-0.25)).clamp(0.2, 5.0);
        if error > 1.0 {
            self.steps.rejected += 1;
            (self.width, self.after_rejection) = (self.h * factor, true);
            return;
        }
        self.steps.accepted += 1;
        self.time = if self.h < end - self.time { self.time + self.h } else { end };
        self.y.iter_mut().zip(self.z).for_each(|(y, z)| *y += z);
        self.slope = self.stages[STAGES - 1].map(|increment| increment / self.h);
        self.width = self.h * if self.after_rejection { factor.min(1.0) } else { factor };
        self.after_rejection = false;
        if let Some(history) = &mut self.history {
            history.push((self.time, self.y));
        }
    }

    fn begin_stage(&mut self, stage: usize) {
        // As if the rates were still those of the stage before.
        let known = self.known(stage);
        self.z = std::array::from_fn(|i| {
            let before = if stage == 0 { self.h * self.slope[i] } else { self.stages[stage - 1][i] };
            known[i] + GAMMA * before
        });
        self.lag = self.lag.max(f64::EPSILON).powf(0.8);
        self.phase = Phase::Newton { stage, iteration: 0, last: f64::INFINITY };
    }

    fn end_stage(&mut self, stage: usize) {
        // Not by evaluating the rates, which would multiply what is left of Newton's error by h J.
        let known = self.known(stage);
        self.stages[stage] = std::array::from_fn(|i| (self.z[i] - known[i]) / GAMMA);
        if stage + 1 < STAGES {
            self.begin_stage(stage + 1);
        } else {
            self.phase = Phase::Estimate;
        }
    }

    /// What the stages that are done contribute to this one.
    fn known(&self, stage: usize) -> State {
        std::array::from_fn(|i| (0..stage).map(|j| A[stage][j] * self.stages[j][i]).sum())
    }

    /// Root mean square of a vector, in units of the tolerance.
    fn norm(&self, x: &[f64]) -> f64 {
        let Tolerance { absolute, relative } = self.tolerance;
        let scaled = x.iter().zip(&self.y).map(|(x, y)| x / (absolute + relative * y.abs()));
        (scaled.map(|x| x * x).sum::<f64>() / SPECIES as f64).sqrt()
    }
}
