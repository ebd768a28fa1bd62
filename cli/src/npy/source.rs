//! `.npy` files as sources of matrices.

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
    let fortran = file.fortran;
    let mut elements = file.elements()?;
    let Part { first, of: batch, .. } = part;
    if fortran && batch > 1 && each > 1 {
        return Ok(Box::new(BatchFastest { elements, batch, each, first }));
    }
    elements.start += (first * each * size_of::<T>()) as u64;
    Ok(Box::new(elements))
}
