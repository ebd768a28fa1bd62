//! Arrays of ndarray, faer and nalgebra in and out, without copies.
//!
//! `cargo run --release -p warplu --example array_crates --features faer,nalgebra,ndarray`, and `cuda` for a GPU if there is one.

use faer::{Mat, MatRef};
use nalgebra::{Matrix4, Vector4};
use ndarray::{Array2, Array3, Axis, s};
use warplu::{Batch, BatchMut, Device, Error, Op, Ragged};

const BATCH: usize = 1000;

fn main() -> Result<(), Error> {
    let device = Device::best();
    println!("working on {device}");
    with_ndarray(&device)?;
    with_faer(&device)?;
    with_nalgebra(&device)
}

/// One array has all matrices.
fn with_ndarray(device: &Device) -> Result<(), Error> {
    let a = Array3::from_shape_fn((BATCH, 8, 8), |(b, i, j)| element(b, i, j));
    let b = Array2::from_shape_fn((BATCH, 8), |(b, i)| (b + i) as f64); // one right-hand side each

    // Any view will do: here, every other matrix, and the upper left 4 x 4 of these.
    let corners = a.slice(s![..;2, ..4, ..4]);
    let inverses = device.invert(&Batch::try_from(corners)?)?.check()?;
    let inverses = Array3::from(inverses); // the same memory
    println!("ndarray: {} inverses, their sum is {:.6}", inverses.len_of(Axis(0)), inverses.sum());

    // `check()?` names bad matrices, and else leaves what one goes on with.
    let lu = device.lu(&Batch::try_from(&a)?)?.check()?;
    let x = lu.solve(&Batch::try_from(&b)?.rows_as_vectors()?, Op::None)?.check()?;
    let x = Array3::from(x).remove_axis(Axis(2)); // (batch, n), as the right-hand sides
    println!("ndarray: {:?} solutions, the first begins with {:.6}", x.dim(), x[(0, 0)]);
    Ok(())
}

/// Matrices of many sizes, wherever they are: here, blocks on the diagonal of one.
fn with_faer(device: &Device) -> Result<(), Error> {
    let whole = Mat::from_fn(100, 100, |i, j| element(0, i, j));
    let ends: Vec<usize> = (0..14).map(|k| k * (k + 1) / 2).collect();
    let block = |ends: &[usize]| whole.as_ref().submatrix(ends[0], ends[0], ends[1] - ends[0], ends[1] - ends[0]);
    let blocks: Vec<MatRef<'_, f64>> = ends.windows(2).map(block).collect();
    let inverses = device.invert(&Ragged::try_from(&blocks[..])?)?.check()?;
    let worst = blocks.iter().zip(&inverses).map(|(block, inverse)| {
        let inverse = MatRef::from(inverse); // where it is
        (block * inverse - Mat::<f64>::identity(block.nrows(), block.nrows())).norm_max()
    });
    println!("faer: {} blocks, |A X - I| is at most {:.0e}", blocks.len(), worst.fold(0.0, f64::max));
    Ok(())
}

/// A slice of matrices is one batch, to read as to write.
fn with_nalgebra(device: &Device) -> Result<(), Error> {
    let a: Vec<Matrix4<f64>> = (0..BATCH).map(|b| Matrix4::from_fn(|i, j| element(b, i, j))).collect();
    let mut b = vec![Vector4::new(1.0, 2.0, 3.0, 4.0); BATCH];
    let sides = b.clone();
    device.solve_in_place(&Batch::try_from(&a[..])?, &mut BatchMut::try_from(&mut b[..])?)?.check()?;
    let worst = a.iter().zip(&b).zip(&sides).map(|((a, x), b)| (a * x - b).amax());
    println!("nalgebra: {BATCH} solutions, |A x - b| is at most {:.0e}", worst.fold(0.0, f64::max));

    // Results are vectors of matrices again, in the memory that they have.
    let inverses: Vec<Matrix4<f64>> = device.invert(&Batch::try_from(&a[..])?)?.check()?.try_into()?;
    println!("nalgebra: the last inverse has the trace {:.6}", inverses[BATCH - 1].trace());
    Ok(())
}

/// Of matrices with a heavy diagonal.
fn element(b: usize, i: usize, j: usize) -> f64 {
    let noise = ((b * 31 + i * 17 + j * 7) % 23) as f64 / 23.0;
    if i == j { 16.0 + noise } else { noise / 4.0 }
}
