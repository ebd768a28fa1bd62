//! `.npy` files as sources of matrices.

use npyz::Order;
use simt::Pod;
use warplu::out_of_core::Source;

use super::header::Numbers;
use super::read::NpyFile;
use super::transposed::BatchFastest;
use crate::failure::Result;

/// The numbers of a file with `batch` parts of `each`, one part after the other and within it in the file's order. `T`
/// is the file's type.
pub(crate) fn source<T: Pod, D: Numbers>(file: NpyFile<D>, batch: usize, each: usize) -> Result<Box<dyn Source<T>>> {
    let order = file.order;
    let elements = file.elements()?;
    Ok(match order {
        Order::Fortran if batch > 1 && each > 1 => Box::new(BatchFastest { elements, batch, each }),
        _ => Box::new(elements),
    })
}
