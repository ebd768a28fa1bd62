//! The elements of `.npy` files, by ranges.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use npyz::Order;
use simt::Pod;
use warplu::out_of_core::Source;

use super::header::Numbers;
use super::read::NpyFile;
use super::transposed::BatchFastest;
use crate::failure::{Failure, Result};
use crate::memory::bytes_of_mut;
use crate::ranges::read_exact_at;

/// The data of a file, in its order.
#[derive(Debug)]
pub(super) struct Elements {
    /// As messages name it.
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) start: u64,
}

impl<T: Pod> Source<T> for Elements {
    fn read(&self, first: usize, to: &mut [T]) -> io::Result<()> {
        let offset = self.start + first as u64 * size_of::<T>() as u64;
        read_exact_at(&self.file, bytes_of_mut(to), offset).map_err(|e| self.failure(e).into())
    }
}

impl Elements {
    fn failure(&self, e: io::Error) -> Failure {
        match e.kind() {
            // The length was checked when the file was opened.
            ErrorKind::UnexpectedEof => {
                Failure::input(&self.path, "became shorter while it was read: run this again when it is complete")
            }
            _ => Failure::read(&self.path, e),
        }
    }
}

/// The numbers of a file with `batch` parts of `each`, one part after the other and within it in the file's order. `T` is the
/// file's type.
pub(crate) fn source<T: Pod, D: Numbers>(file: NpyFile<D>, batch: usize, each: usize) -> Result<Box<dyn Source<T>>> {
    let order = file.order;
    let elements = file.elements()?;
    Ok(match order {
        Order::Fortran if batch > 1 && each > 1 => Box::new(BatchFastest { elements, batch, each }),
        _ => Box::new(elements),
    })
}
