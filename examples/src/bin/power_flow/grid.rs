//! The IEEE 118-bus system, and Newton's equations for the flow of power in it.

use std::error::Error;

use warplu::c64;

/// MW in the unit of power.
pub(crate) const BASE: f64 = 100.0;

pub(crate) struct Bus {
    /// `PQ` (a load), `PV` (a generator that holds its voltage) or `slack` (one that makes up the balance).
    pub(crate) kind: &'static str,
    /// Generation less load.
    power: c64,
    shunt: c64,
    voltage: f64,
    /// The voltage in the archive's solution.
    pub(crate) solved_voltage: f64,
}

/// From, to, resistance, reactance, charging, tap.
pub(crate) type Branch = [f64; 6];

/// Bus i's angle and active power (true), or its magnitude and reactive power.
pub(crate) type Unknown = (usize, bool);

pub(crate) fn buses() -> Result<Vec<Bus>, Box<dyn Error>> {
    let bus = |line: &'static str| {
        let cells: Vec<_> = line.split(',').collect();
        let x: Vec<f64> = cells[2..].iter().map(|cell| cell.parse()).collect::<Result<_, _>>()?;
        let (power, shunt) = (c64::new(x[3] - x[0], -x[1]) / BASE, c64::new(0.0, x[2] / BASE));
        Ok(Bus { kind: cells[1], power, shunt, voltage: x[4], solved_voltage: x[5] })
    };
    include_str!("../../../data/ieee118_bus.csv").lines().skip(1).map(bus).collect()
}

pub(crate) fn branches() -> Result<Vec<Branch>, Box<dyn Error>> {
    let branch = |line: &str| {
        let x: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
        Ok(x.try_into().map_err(|_| "a branch has six columns")?)
    };
    include_str!("../../../data/ieee118_branch.csv").lines().skip(1).map(branch).collect()
}

/// The grid without one branch, on its way to a solution.
pub(crate) struct Flow {
    pub(crate) outage: Option<usize>,
    pub(crate) voltage: Vec<c64>,
    admittance: Vec<Vec<c64>>,
}

impl Flow {
    /// All voltages are as scheduled, or 1, at the slack bus's angle.
    pub(crate) fn new(buses: &[Bus], branches: &[Branch], outage: Option<usize>) -> Self {
        let mut y = vec![vec![c64::default(); buses.len()]; buses.len()];
        buses.iter().enumerate().for_each(|(i, bus)| y[i][i] = bus.shunt);
        for (_, &[from, to, r, x, charging, tap]) in branches.iter().enumerate().filter(|(k, _)| Some(*k) != outage) {
            let (i, k, series) = (from as usize - 1, to as usize - 1, c64::new(r, x).inv());
            let own = series + c64::new(0.0, charging / 2.0);
            y[i][i] += own / (tap * tap);
            y[k][k] += own;
            y[i][k] -= series / tap;
            y[k][i] -= series / tap;
        }
        let voltage = buses.iter().map(|bus| c64::from_polar(bus.voltage, 30.0_f64.to_radians())).collect();
        Self { outage, voltage, admittance: y }
    }

    /// The power that flows from bus i because of the voltage of bus k.
    fn part(&self, i: usize, k: usize) -> c64 {
        self.voltage[i] * (self.admittance[i][k] * self.voltage[k]).conj()
    }

    /// The power that flows from bus i.
    pub(crate) fn power(&self, i: usize) -> c64 {
        (0..self.voltage.len()).map(|k| self.part(i, k)).sum()
    }

    /// Writes the Jacobian, by angles and by logarithms of magnitudes, and the powers that are missing, of which the
    /// largest is returned.
    pub(crate) fn equations(&self, buses: &[Bus], unknowns: &[Unknown], jacobian: &mut [f64], b: &mut [f64]) -> f64 {
        let mut largest = 0.0_f64;
        for ((&(i, active), row), b) in unknowns.iter().zip(jacobian.chunks_exact_mut(unknowns.len())).zip(b) {
            let (power, pick) = (self.power(i), |s: c64| if active { s.re } else { s.im });
            *b = pick(buses[i].power - power);
            largest = largest.max(b.abs());
            for (element, &(k, by_angle)) in row.iter_mut().zip(unknowns) {
                let part = self.part(i, k);
                *element = pick(match (by_angle, i == k) {
                    (true, false) => -c64::I * part,
                    (true, true) => c64::I * (power - part),
                    (false, false) => part,
                    (false, true) => power + part,
                });
            }
        }
        largest
    }

    /// Takes a step of Newton's method.
    pub(crate) fn step(&mut self, unknowns: &[Unknown], x: &[f64]) {
        for (&(i, angle), &x) in unknowns.iter().zip(x) {
            self.voltage[i] *= if angle { c64::new(0.0, x) } else { c64::new(x, 0.0) }.exp();
        }
    }

    pub(crate) fn lowest_voltage(&self) -> f64 {
        self.voltage.iter().map(|v| v.norm()).fold(f64::INFINITY, f64::min)
    }
}

/// Whether all buses hang together without a branch.
pub(crate) fn is_connected(branches: &[Branch], outage: usize) -> bool {
    let mut reached = vec![1.0];
    let mut at = 0;
    while let Some(&bus) = reached.get(at) {
        for (_, [from, to, ..]) in branches.iter().enumerate().filter(|(k, _)| *k != outage) {
            let other = if *from == bus { to } else { from };
            if (*from == bus || *to == bus) && !reached.contains(other) {
                reached.push(*other);
            }
        }
        at += 1;
    }
    branches.iter().all(|[from, to, ..]| reached.contains(from) && reached.contains(to))
}
