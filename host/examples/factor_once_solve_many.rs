//! Implicit Euler for many stiff systems y' = J y at once. The factors of I - h J stay where they were made, on a GPU
//! in its memory; a step moves right-hand sides and solutions only, and a change of the step width factors into the
//! same memory.
//!
//! `cargo run --release --example factor_once_solve_many`, with `--features cuda` for a GPU if there is one.

use warplu::{Batch, BatchMut, Device, Error, Op, Status};

const N: usize = 12;
const CELLS: usize = 500;
const STEPS: usize = 100;

fn main() -> Result<(), Error> {
    let device = Device::best();
    println!("working on {device}");
    let (mut y, mut status) = (vec![1.0; CELLS * N], vec![Status::Ok; CELLS]);
    let mut width = 1e-3;
    let mut time = 0.0;

    let system = newton_matrices(width);
    let mut lu = device.lu(&Batch::c_order(&system, CELLS, N, N)?)?.check()?;
    for round in 0..5 {
        for _ in 0..STEPS {
            // (I - h J) y_new = y, each solution in the place of its right-hand side.
            lu.solve_in_place(&mut BatchMut::c_order(&mut y, CELLS, N, 1)?, Op::None, &mut status)?;
            time += width;
        }
        println!("round {round}: t = {time:.3}, y of the first cell from {:.3e} to {:.3e}", y[0], y[N - 1]);
        width *= 2.0;
        lu.refactor(&Batch::c_order(&newton_matrices(width), CELLS, N, N)?)?;
        lu.status().check()?;
    }

    // All decay as exp(-rate t), which implicit Euler follows for the slow components.
    let expected = (-rate(0, 0) * time).exp();
    assert!((y[0] - expected).abs() < 0.1 * expected, "{} is far from {expected}", y[0]);
    // From the same factors: determinants, inverses, and the factors themselves, brought to the host when asked for.
    println!("log|det| of the first system: {:.6}", lu.det()?.log_abs[0]);
    println!("the first pivots: {:?}", &lu.pivots(0)?[..4]);
    Ok(())
}

/// How fast component i of a cell decays: over four orders of magnitude, which makes the system stiff.
fn rate(cell: usize, i: usize) -> f64 {
    10.0_f64.powf(4.0 * i as f64 / (N - 1) as f64 - 1.0) * (1.0 + cell as f64 / CELLS as f64)
}

/// I - h J, J with the rates on its diagonal and a weak coupling to the slower neighbour below.
fn newton_matrices(width: f64) -> Vec<f64> {
    let mut a = vec![0.0; CELLS * N * N];
    for (cell, matrix) in a.chunks_exact_mut(N * N).enumerate() {
        for i in 0..N {
            matrix[i * N + i] = 1.0 + width * rate(cell, i);
            if i > 0 {
                matrix[i * N + i - 1] = -width * 0.01;
            }
        }
    }
    a
}
