//! One program for GPUs and CPUs that keeps its matrices where the work is done: buffers, plans and a stream.
//!
//! `cargo run --release -p warplu --example resident`, with `--features cuda` for a GPU if there is one.

use warplu::resident::{DeviceBatch, DeviceBatchMut, InPlace, LuPlan, LuSolvePlan, Size, of};
use warplu::{Device, Error, Op, Status};

const N: usize = 16;
const BATCH: usize = 400;
const STEPS: usize = 50;

fn main() -> Result<(), Error> {
    let device = Device::best();
    println!("working on {device}");

    // All memory is allocated here. From then on nothing is, and calls do not wait.
    let host = matrices();
    let mut lu = device.upload(&host)?;
    let mut x = device.upload(&vec![1.0; BATCH * N])?;
    let (mut status, mut solved) = (device.buffer::<i32>(BATCH)?, device.buffer::<i32>(BATCH)?);
    let mut pivots = device.pivots(BATCH, N)?;
    let factor = LuPlan::<f64>::new(&device, Size::order(N).batch(BATCH))?;
    let solve = LuSolvePlan::<f64>::new(&device, Size::order(N).batch(BATCH))?;
    let stream = device.stream()?;

    let start = stream.record()?;
    let operands = of::Lu {
        a: InPlace,
        lu: &mut DeviceBatchMut::row_major(&mut lu, BATCH, N, N)?,
        pivots: &mut pivots,
        status: &mut status,
    };
    factor.run(&stream, operands)?;
    // The power method on A^-1: each step solves in place of the last solution.
    for _ in 0..STEPS {
        let factors = DeviceBatch::row_major(&lu, BATCH, N, N)?;
        let mut x = DeviceBatchMut::row_major(&mut x, BATCH, N, 1)?;
        let operands = of::LuSolve {
            lu: &factors,
            pivots: &pivots,
            lu_status: &status,
            op: Op::None,
            b: InPlace,
            x: &mut x,
            status: &mut solved,
        };
        solve.run(&stream, operands)?;
    }
    let end = stream.record()?;
    println!("{} us on the device", (end.seconds_since(&start)? * 1e6).round());

    // Copies wait for the work on their buffer.
    let bad = solved.to_vec()?.into_iter().map(Status::from_code).filter(|status| !status.is_ok()).count();
    let x = x.to_vec()?;
    println!("{bad} matrices are singular or not finite");

    // x is now nearly the eigenvector of the smallest eigenvalue: A x = lambda x.
    let (a, x) = (&host[..N * N], &x[..N]);
    let product = |i: usize| (0..N).map(|j| a[i * N + j] * x[j]).sum::<f64>();
    let ratios: Vec<f64> = (0..N).map(|i| product(i) / x[i]).collect();
    let spread = ratios.iter().map(|ratio| (ratio / ratios[0] - 1.0).abs()).fold(0.0, f64::max);
    println!("the smallest eigenvalue of the first matrix: {:.9}", ratios[0]);
    assert!(bad == 0 && spread < 1e-6, "no eigenvector: {ratios:?}");
    Ok(())
}

/// Symmetric, tridiagonal and positive definite.
fn matrices() -> Vec<f64> {
    let mut a = vec![0.0; BATCH * N * N];
    for (b, matrix) in a.chunks_exact_mut(N * N).enumerate() {
        for i in 0..N {
            matrix[i * N + i] = 2.0 + b as f64 / BATCH as f64 * i as f64;
            if i > 0 {
                matrix[i * N + i - 1] = -1.0;
                matrix[(i - 1) * N + i] = -1.0;
            }
        }
    }
    a
}
