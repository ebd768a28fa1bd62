//! Calls on host memory: results in fresh memory, in the caller's, in place of the inputs, and through page-locked
//! memory.
//!
//! `cargo run --release -p warplu --example host_calls`, with `--features cuda` for a GPU if there is one.

use warplu::{Batch, BatchMut, Device, Error};

const N: usize = 8;
const BATCH: usize = 1000;

fn main() -> Result<(), Error> {
    let device = Device::best();
    println!("working on {device}");
    let numbers = matrices();
    let a = Batch::row_major(&numbers, BATCH, N, N)?; // column_major and strided are there, too

    // Results in fresh memory. `check` is for callers who have no use for a batch with a bad matrix in it.
    let inverses = device.invert(&a)?.check()?;
    println!("fresh:    {:.6}", inverses[(0, 0, 0)]);

    // In memory of the caller's, which a loop would use again and again: nothing is allocated for results.
    let mut x = vec![0.0; BATCH * N];
    let b = vec![1.0; BATCH * N];
    let b = Batch::row_major(&b, BATCH, N, 1)?; // one right-hand side for each matrix
    device.solve_into(&a, &b, &mut BatchMut::row_major(&mut x, BATCH, N, 1)?)?.check()?;
    println!("into:     {:.6}", x[0]);

    // In place of the matrices.
    let mut in_place = numbers.clone();
    device.invert_in_place(&mut BatchMut::row_major(&mut in_place, BATCH, N, N)?)?.check()?;
    println!("in place: {:.6}", in_place[0]);

    // In page-locked memory, which a GPU reads and writes by itself. Worth it for memory that several calls use.
    let mut pinned = device.pinned::<f64>(BATCH * N * N)?;
    let mut inverse = device.pinned::<f64>(BATCH * N * N)?;
    for scale in [1.0, 2.0, 4.0] {
        pinned.iter_mut().zip(&numbers).for_each(|(to, from)| *to = scale * from);
        let mut out = BatchMut::row_major(&mut inverse, BATCH, N, N)?;
        device.invert_into(&Batch::row_major(&pinned, BATCH, N, N)?, &mut out)?.check()?;
        println!("pinned:   {:.6} of {scale} A", inverse[0]);
    }

    // A bad matrix is no error, and leaves the others alone.
    let mut some_bad = numbers.clone();
    some_bad[..N * N].fill(0.0);
    some_bad[5 * N * N] = f64::NAN;
    let result = device.invert(&Batch::row_major(&some_bad, BATCH, N, N)?)?;
    for (index, status) in result.status.bad() {
        println!("matrix {index} is {status}; its inverse begins with {}", result.matrices.matrix(index)[0]);
    }
    // Or as an error, where that is wanted.
    if let Err(error) = result.check() {
        println!("check: {error}");
    }
    Ok(())
}

/// Matrices with a heavy diagonal, so that none is close to a singular one.
fn matrices() -> Vec<f64> {
    let element = |k: usize| {
        let (b, i, j) = (k / (N * N), k / N % N, k % N);
        let noise = ((b * 31 + i * 17 + j * 7) % 23) as f64 / 23.0;
        if i == j { N as f64 + noise } else { noise }
    };
    (0..BATCH * N * N).map(element).collect()
}
