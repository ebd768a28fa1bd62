//! One cell's integrator, by [`sdirk`](crate::sdirk) with steps of its own. Newton's method, and its end, are as in Hairer
//! and Wanner, *Solving Ordinary Differential Equations II*, section IV.8.
//!
//! All stages of a step have the same matrix, I - h gamma J. A cell solves nothing itself: it *asks* for the solution
//! of that system with some right-hand side, is *answered*, and goes on, until its step is done or has failed. So cells
//! at different stages share a batch.

use simt::Pod;
use simt::math::Fused;

use crate::air::Air;
use crate::pollu::SPECIES;
use crate::sdirk::{ERROR, GAMMA, STAGES, State, row, weighted};

/// Of the permitted error of a step, what Newton's method may leave.
const NEWTON_SHARE: f64 = 0.03;
const NEWTON_LIMIT: u32 = 10;

/// Permitted error of a step: absolute, and relative to each concentration.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Tolerance {
    /// ppm.
    pub absolute: f64,
    /// Of 1.
    pub relative: f64,
}

/// What a cell waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
struct Phase(u32);

impl Phase {
    /// A correction of a stage.
    const NEWTON: Self = Self(0);
    /// The estimate of the step's error.
    const ESTIMATE: Self = Self(1);
    /// The other cells.
    const DONE: Self = Self(2);
    /// The same, after a failure.
    const FAILED: Self = Self(3);
    /// Nothing any more: it has arrived.
    const ARRIVED: Self = Self(4);
}

/// A cell on its way.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Cell {
    /// Minutes.
    pub time: f64,
    /// Concentrations at that time.
    pub y: State,
    /// The next step, as planned; `h` is the one under way. Minutes.
    width: f64,
    h: f64,
    /// dy/dt at y, as the last stage of the last step has it.
    slope: State,
    /// h dy/dt of the stages that are done.
    stages: [State; STAGES],
    /// The stage under way, less y.
    z: State,
    /// The norm of Newton's last correction.
    last: f64,
    /// How far Newton's method lags behind that.
    lag: f64,
    /// Of a step that is done, 1 being the permitted one.
    error: f64,
    phase: Phase,
    /// The stage under way, from 0, and how often it was corrected.
    stage: u32,
    iteration: u32,
    /// Whether the last step was rejected or failed: 0 or 1.
    after_rejection: u32,
    /// Steps so far.
    pub accepted: u32,
    /// Those whose error was too large.
    pub rejected: u32,
    /// Those that Newton's method did not come to the end of, or whose matrix was singular.
    pub failed: u32,
    /// So that there is no padding.
    _unused: u32,
}

// SAFETY: numbers of 8 bytes, and an even number of 4 bytes; any bits make a phase.
unsafe impl Pod for Cell {}

impl Cell {
    /// A cell at time 0, with a first step that is short beside all but the fastest reactions.
    #[must_use]
    pub fn new(initial: State) -> Self {
        let zero = [0.0; SPECIES];
        Self {
            time: 0.0,
            y: initial,
            width: 1e-6,
            h: 0.0,
            slope: zero,
            stages: [zero; STAGES],
            z: zero,
            last: f64::INFINITY,
            lag: 1.0,
            error: 0.0,
            phase: Phase::FAILED,
            stage: 0,
            iteration: 0,
            after_rejection: 0,
            accepted: 0,
            rejected: 0,
            failed: 0,
            _unused: 0,
        }
    }

    /// With another first step, in minutes.
    #[must_use]
    pub fn with_width(self, width: f64) -> Self {
        Self { width, ..self }
    }

    /// Whether steps have become too short to come to `end`.
    #[inline(always)]
    #[must_use]
    pub fn is_stuck(&self, end: f64) -> bool {
        self.is_under_way(end) && !(self.width > 1e-15)
    }

    /// Whether it has not come to `end`.
    #[inline(always)]
    #[must_use]
    pub fn is_under_way(&self, end: f64) -> bool {
        self.time < end
    }

    /// Begins a step that does not go beyond `end`, and hands over the elements (i, j) of its matrix: of a cell that
    /// has arrived, those of the unit matrix.
    #[inline(always)]
    pub fn begin(&mut self, end: f64, air: &Air, mut write: impl FnMut(usize, usize, f64)) {
        self.h = if self.is_under_way(end) { self.width.min(end - self.time) } else { 0.0 };
        let jacobian = air.jacobian(&self.y);
        for i in 0..SPECIES {
            for j in 0..SPECIES {
                let one = if i == j { 1.0 } else { 0.0 };
                write(i, j, one - self.h * GAMMA * jacobian[i][j]);
            }
        }
        if self.is_under_way(end) {
            // Of a step that failed they may not be finite, which a weight of zero would not hide.
            self.stages = [[0.0; SPECIES]; STAGES];
            self.begin_stage(0);
        } else {
            self.phase = Phase::ARRIVED;
        }
    }

    /// The right-hand side of the system that the cell wants solved, if it wants one.
    #[inline(always)]
    #[must_use]
    pub fn ask(&self, air: &Air) -> Option<State> {
        match self.phase {
            Phase::NEWTON => {
                let (mut b, mut y) = (self.known(), self.y);
                for i in 0..SPECIES {
                    y[i] += self.z[i];
                }
                let rates = air.rates(&y);
                for i in 0..SPECIES {
                    b[i] += self.h * GAMMA * rates[i] - self.z[i];
                }
                Some(b)
            }
            Phase::ESTIMATE => Some(weighted(&ERROR, &self.stages)),
            _ => None,
        }
    }

    /// Takes the solution of what was asked for, if there is one.
    #[inline(always)]
    pub fn answer(&mut self, x: &State, is_solved: bool, tolerance: Tolerance) {
        let asks = self.phase == Phase::NEWTON || self.phase == Phase::ESTIMATE;
        if asks && !is_solved {
            self.phase = Phase::FAILED;
        }
        match self.phase {
            Phase::NEWTON => {
                for i in 0..SPECIES {
                    self.z[i] += x[i];
                }
                let change = self.norm(x, tolerance);
                let ratio = change / self.last; // the first time, 0
                if self.iteration > 0 {
                    self.lag = ratio / (1.0 - ratio);
                }
                // A NaN is not below 1 either.
                if !(ratio < 1.0) || self.iteration == NEWTON_LIMIT {
                    self.phase = Phase::FAILED;
                } else if self.lag * change <= NEWTON_SHARE {
                    self.end_stage();
                } else {
                    (self.iteration, self.last) = (self.iteration + 1, change);
                }
            }
            Phase::ESTIMATE => {
                self.error = self.norm(x, tolerance);
                self.phase = if self.error.is_finite() { Phase::DONE } else { Phase::FAILED };
            }
            _ => {}
        }
    }

    /// Ends the step, and plans the next one.
    #[inline(always)]
    pub fn end(&mut self, end: f64) {
        if self.phase == Phase::ARRIVED {
            return;
        }
        if self.phase != Phase::DONE {
            self.failed += 1;
            (self.width, self.after_rejection, self.lag) = (self.h / 2.0, 1, 1.0);
            return;
        }
        // 0.9 / error^(1/4), as the embedded method is of order 3.
        let factor = (0.9 / Fused::sqrt(Fused::sqrt(self.error))).clamp(0.2, 5.0);
        if self.error > 1.0 {
            self.rejected += 1;
            (self.width, self.after_rejection) = (self.h * factor, 1);
            return;
        }
        self.accepted += 1;
        self.time = if self.h < end - self.time { self.time + self.h } else { end };
        for i in 0..SPECIES {
            self.y[i] += self.z[i];
            self.slope[i] = self.stages[STAGES - 1][i] / self.h;
        }
        self.width = self.h * if self.after_rejection == 1 { factor.min(1.0) } else { factor };
        self.after_rejection = 0;
    }

    #[inline(always)]
    fn begin_stage(&mut self, stage: u32) {
        self.stage = stage;
        // As if the rates were still those of the stage before.
        let mut before = self.slope.map(|slope| self.h * slope);
        for (done, number) in self.stages.iter().zip(1..) {
            before = if number == stage { *done } else { before };
        }
        self.z = self.known();
        for i in 0..SPECIES {
            self.z[i] += GAMMA * before[i];
        }
        let lag = Fused::sqrt(self.lag.max(f64::EPSILON));
        self.lag = lag * Fused::sqrt(lag); // to the power of 3/4
        (self.phase, self.iteration, self.last) = (Phase::NEWTON, 0, f64::INFINITY);
    }

    #[inline(always)]
    fn end_stage(&mut self) {
        // Not by evaluating the rates, which would multiply what is left of Newton's error by h J.
        let mut increment = self.known();
        for i in 0..SPECIES {
            increment[i] = (self.z[i] - increment[i]) / GAMMA;
        }
        for (stage, number) in self.stages.iter_mut().zip(0..) {
            *stage = if number == self.stage { increment } else { *stage };
        }
        if self.stage as usize + 1 < STAGES {
            self.begin_stage(self.stage + 1);
        } else {
            self.phase = Phase::ESTIMATE;
        }
    }

    /// What the stages that are done contribute to the one under way.
    #[inline(always)]
    fn known(&self) -> State {
        weighted(&row(self.stage), &self.stages)
    }

    /// Root mean square of a vector, in units of the tolerance.
    #[inline(always)]
    fn norm(&self, x: &State, tolerance: Tolerance) -> f64 {
        let Tolerance { absolute, relative } = tolerance;
        let mut sum = 0.0;
        for i in 0..SPECIES {
            let scaled = x[i] / (absolute + relative * self.y[i].abs());
            sum += scaled * scaled;
        }
        Fused::sqrt(sum / SPECIES as f64)
    }
}
