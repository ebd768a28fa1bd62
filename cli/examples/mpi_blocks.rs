//! Blocks of several orders, as of a block-Jacobi preconditioner, inverted by the processes of an MPI program, each on
//! a GPU of its own if there are any.
//!
//! `cargo build --release -p warplu-cli --features mpi --example mpi_blocks`, then `mpirun -n 4
//! target/release/examples/mpi_blocks`.
//! It needs what MPI's bindings need to build: on Debian, libopenmpi-dev and libclang-dev.

use std::error::Error;

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::traits::{Communicator, CommunicatorCollectives};
use warplu::{Batch, Device, shard};

/// The orders of the blocks: many small ones, some large ones.
fn orders() -> Vec<usize> {
    [[8; 3000].as_slice(), &[32; 600], &[100; 40]].concat()
}

/// Row by row; the diagonal is the largest.
fn block(number: usize, n: usize) -> impl Iterator<Item = f64> {
    (0..n * n).map(move |at| match (at / n, at % n) {
        (i, j) if i == j => 2.0 * n as f64,
        (i, j) => ((number + 7 * i + 3 * j) % 11) as f64 / 11.0,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    // warplu's own threads make no calls of MPI.
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).ok_or("MPI is at work already")?;
    let world = universe.world();
    let (rank, size) = (world.rank() as usize, world.size() as usize);

    // GPUs are counted on each machine, so the number among its own processes picks one.
    let local = world.split_shared(world.rank()).rank() as u32;
    let device = match Device::cuda_count() {
        Ok(gpus @ 1..) => Device::cuda(local % gpus)?,
        _ => Device::cpu(),
    };

    // Each process finds its range by itself. An inversion costs about n^3.
    let orders = orders();
    let costs: Vec<u64> = orders.iter().map(|&n| (n as u64).pow(3)).collect();
    let own = shard(rank, size, &costs);
    println!(
        "rank {rank} of {size} on {device}: blocks {own:?}, {} multiplications",
        costs[own.clone()].iter().sum::<u64>()
    );

    // Neighbours of one order are one batch.
    let (mut number, mut traces, mut bad) = (own.start, 0.0_f64, 0_u64);
    for same in orders[own].chunk_by(|n, next| n == next) {
        let (n, batch) = (same[0], same.len());
        let a: Vec<f64> = (number..number + batch).flat_map(|number| block(number, n)).collect();
        let inverse = device.invert(&Batch::row_major(&a, batch, n, n)?)?;
        bad += inverse.status.bad().count() as u64;
        traces += (0..batch * n).map(|at| inverse.matrices.get(at / n, at % n, at % n)).sum::<f64>();
        number += batch;
    }

    let (mut all_traces, mut all_bad) = (0.0, 0);
    world.all_reduce_into(&traces, &mut all_traces, SystemOperation::sum());
    world.all_reduce_into(&bad, &mut all_bad, SystemOperation::sum());
    if rank == 0 {
        println!("{} inverses, {all_bad} of them bad; the sum of their traces is {all_traces:.9}", orders.len());
    }
    Ok(())
}
