//! `.npy` files as sources of matrices.

use npyz::Order;
use warplu::Pod;
use warplu::out_of_core::Source;

use super::header::Numbers;
use super::read::NpyFile;
use super::transposed::BatchFastest;
use crate::failure::Result;
use crate::ranks::Part;

/// The numbers of a part of a file, `each` of a matrix, one matrix after the other and within it in the file's order.
/// `T` is the file's type.
pub(crate) fn source<T: Pod, D: Numbers>(file: NpyFile<D>, part: Part, each: usize) -> Result<Box<dyn Source<T>>> {
    let order = file.order;
    let mut elements = file.elements()?;
    let Part { first, of: batch, .. } = part;
    Ok(match order {
        Order::Fortran if batch > 1 && each > 1 => Box::new(BatchFastest { elements, batch, each, first }),
        _ => {
            elements.start += (first * each * size_of::<T>()) as u64;
            Box::new(elements)
        }
    })
}
