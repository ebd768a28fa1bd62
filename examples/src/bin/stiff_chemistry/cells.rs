//! The cells, and how they differ: temperature, light, emissions and what was in the air before.

use chemistry::air::Air;
use chemistry::cell::{Cell, Tolerance};
use chemistry::pollu::{self, SPECIES, species::*};
use chemistry::sdirk::State;

/// Shares of what a street emits, in ppm for each ppm of NO.
const EMITTED: [(usize, f64); 5] = [(NO, 1.0), (NO2, 0.1), (HCHO, 0.05), (ALD, 0.02), (SO2, 0.02)];

/// Cells whose history may be drawn: the standard one, and some of the others.
const DRAWN: [usize; 5] = [0, 1, 5, 8, 11];

/// All cells, in the order of their indices.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) conditions: Vec<Conditions>,
    pub(crate) air: Vec<Air>,
    pub(crate) states: Vec<Cell>,
    pub(crate) tolerance: Tolerance,
    pub(crate) histories: Vec<History>,
}

/// What happened in a cell.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub(crate) cell: usize,
    /// Times and concentrations.
    pub(crate) points: Vec<(f64, State)>,
}

impl Cells {
    /// So many, at time 0; with the history of those that are drawn, or none.
    pub(crate) fn new(count: usize, relative: f64, has_histories: bool) -> Self {
        let conditions: Vec<_> = (0..count).map(Conditions::of).collect();
        let states: Vec<_> = conditions.iter().map(|conditions| Cell::new(conditions.initial)).collect();
        let drawn = DRAWN.into_iter().filter(|cell| has_histories && *cell < count);
        let histories = drawn.map(|cell| History { cell, points: vec![(0.0, states[cell].y)] }).collect();
        // Absolutely, far below what can be measured; species of which there is less follow the others.
        let tolerance = Tolerance { absolute: 1e-12, relative };
        Self { air: conditions.iter().map(Conditions::air).collect(), conditions, states, tolerance, histories }
    }
}

impl History {
    /// Adds what the cell has come to, if that is new.
    pub(crate) fn note(&mut self, cell: &Cell) {
        if self.points.last().is_none_or(|(time, _)| *time < cell.time) {
            self.points.push((cell.time, cell.y));
        }
    }
}

/// The conditions in a cell, which stay.
#[derive(Clone, Debug)]
pub(crate) struct Conditions {
    /// K.
    pub(crate) temperature: f64,
    /// 1 is that of the test problem.
    pub(crate) light: f64,
    /// Emission of NO, ppm a minute.
    pub(crate) emitted: f64,
    pub(crate) initial: State,
}

impl Conditions {
    /// Cell `index` of as many as one likes: cell 0 is the test problem itself, the others are spread evenly over their
    /// conditions, by the fractional parts of multiples of irrational numbers.
    fn of(index: usize) -> Self {
        let mut initial = pollu::initial();
        if index == 0 {
            return Self { temperature: 298.0, light: 1.0, emitted: 0.0, initial };
        }
        let [a, b, c, d, e] = [2, 3, 5, 7, 11].map(|prime: u32| (index as f64 * f64::from(prime).sqrt()).fract());
        for (species, by) in [(NO, c), (O3, d), (HCHO, e), (ALD, e)] {
            initial[species] *= 4.0_f64.powf(2.0 * by - 1.0); // between a quarter and four times as much
        }
        // From freezing to a heat wave; from dusk to noon; from the country to a street at rush hour.
        Self { temperature: 270.0 + 40.0 * a, light: 0.05 + 1.25 * b, emitted: 5e-4 * d * d, initial }
    }

    /// ppm a minute of each species.
    pub(crate) fn emission(&self) -> State {
        let mut emission = [0.0; SPECIES];
        EMITTED.iter().for_each(|(species, share)| emission[*species] = share * self.emitted);
        emission
    }

    fn air(&self) -> Air {
        Air { constants: pollu::constants(self.temperature, self.light), emission: self.emission() }
    }
}
