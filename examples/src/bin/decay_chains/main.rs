//! Factor once, solve many: the decay of uranium 238 to lead through 13 nuclides, whose half-lives are from 164
//! microseconds to 4 billion years, in rocks that lose radon, each at its own rate.
//!
//! The exponential of a step is a sum of solutions with eight complex matrices h A - theta I (CRAM, the rational
//! approximation of reactor physics, in `cram.rs`). They are factored when the width h of the steps changes, into the
//! same memory; each step then only solves. On a GPU the factors stay in its memory, and a step moves right-hand sides
//! and solutions.
//!
//! `cargo run --release -p warplu-examples --bin decay_chains`

mod cram;

use std::error::Error;

use warplu::{Batch, BatchMut, Device, Op, c64};

use crate::cram::{ALPHA, ALPHA_0, POLES, THETA};

const N: usize = 15;
const ROCKS: usize = 500;
const RADON: usize = 6;
const DAY: f64 = 86_400.0;
const YEAR: f64 = 365.25 * DAY;
/// U-238, Th-234, Pa-234m, U-234, Th-230, Ra-226, Rn-222, Po-218, Pb-214, Bi-214, Po-214, Pb-210, Bi-210, Po-210, in
/// seconds (ICRP Publication 107); then comes Pb-206, which stays.
const HALF_LIVES: [f64; N - 1] = [
    4.468e9 * YEAR,
    24.10 * DAY,
    1.17 * 60.0,
    2.455e5 * YEAR,
    7.538e4 * YEAR,
    1600.0 * YEAR,
    3.8235 * DAY,
    3.10 * 60.0,
    26.8 * 60.0,
    19.9 * 60.0,
    164.3e-6,
    22.20 * YEAR,
    5.013 * DAY,
    138.376 * DAY,
];
fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    println!("{ROCKS} rocks, {} matrices of {N} x {N} on {device}", ROCKS * POLES);
    let mut atoms = vec![[0.0; N]; ROCKS];
    atoms.iter_mut().for_each(|atoms| atoms[0] = 1.0);
    let (mut time, mut x) = (0.0, vec![[c64::default(); N]; ROCKS * POLES]);

    let rounds = [("days", DAY, 30), ("months", YEAR / 12.0, 60), ("ten thousand years", 1e4 * YEAR, 100)];
    let mut lu = None;
    for (name, width, steps) in rounds {
        let a = matrices(width);
        let a = Batch::row_major(&a, ROCKS * POLES, N, N)?;
        let lu = match &mut lu {
            None => lu.insert(device.lu(&a)?),
            Some(lu) => {
                lu.refactor(&a)?;
                lu
            }
        };
        lu.status().check()?;
        for _ in 0..steps {
            for (k, x) in x.iter_mut().enumerate() {
                *x = atoms[k / POLES].map(|atoms| ALPHA[k % POLES] * atoms);
            }
            let mut right_hand_sides = BatchMut::row_major(x.as_flattened_mut(), ROCKS * POLES, N, 1)?;
            lu.solve_in_place(&mut right_hand_sides, Op::None)?.check()?;
            for (atoms, x) in atoms.iter_mut().zip(x.chunks_exact(POLES)) {
                *atoms = std::array::from_fn(|i| ALPHA_0 * atoms[i] + 2.0 * x.iter().map(|x| x[i].re).sum::<f64>());
            }
            time += width;
        }
        let ratio = |rock: usize| atoms[rock][N - 2] * decay(N - 2) / (atoms[rock][0] * decay(0));
        println!("{steps} steps of {name}: Po-210 to U-238, by activity: {:.2e} to {:.2e}", ratio(ROCKS - 1), ratio(0));
    }

    let mut off = 0.0_f64;
    for (rock, atoms) in atoms.iter().enumerate() {
        let expected = bateman(rock, time);
        off = atoms[..N - 1].iter().zip(expected).map(|(x, y)| (x / y - 1.0).abs()).fold(off, f64::max);
    }
    println!("after {:.0} years, all nuclides are as Bateman's formula has them but for {off:.1e}", time / YEAR);
    if off < 1e-9 { Ok(()) } else { Err("that is too far off".into()) }
}

/// Of nuclide i, per second.
fn decay(i: usize) -> f64 {
    HALF_LIVES.get(i).map_or(0.0, |half_life| std::f64::consts::LN_2 / half_life)
}

/// How fast nuclide i disappears from a rock. None to all but a tenth of its radon gets away.
fn loss(rock: usize, i: usize) -> f64 {
    let escaping = 0.9 * rock as f64 / ROCKS as f64;
    decay(i) * if i == RADON { 1.0 / (1.0 - escaping) } else { 1.0 }
}

/// h A - theta I for each rock and theta: (ROCKS * POLES, N, N).
fn matrices(width: f64) -> Vec<c64> {
    let mut matrices = vec![c64::default(); ROCKS * POLES * N * N];
    for (k, matrix) in matrices.chunks_exact_mut(N * N).enumerate() {
        for i in 0..N {
            matrix[i * N + i] = c64::from(-width * loss(k / POLES, i)) - THETA[k % POLES];
            if i > 0 {
                matrix[i * N + i - 1] = c64::from(width * decay(i - 1));
            }
        }
    }
    matrices
}

/// The solution in closed form, for times that are long beside most half-lives: else its terms cancel.
fn bateman(rock: usize, time: f64) -> [f64; N - 1] {
    let chain = |n: usize| {
        let made = |i: usize| if i < n { decay(i) } else { 1.0 };
        let term = |j: usize| {
            let others = (0..=n).filter(|i| *i != j).map(|i| made(i) / (loss(rock, i) - loss(rock, j)));
            made(j) * others.product::<f64>() * (-loss(rock, j) * time).exp()
        };
        (0..=n).map(term).sum()
    };
    std::array::from_fn(chain)
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::main().unwrap();
    }
}
