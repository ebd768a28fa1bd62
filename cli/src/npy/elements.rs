//! The elements of `.npy` files, by ranges.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use warplu::Pod;
use warplu::out_of_core::Source;

use crate::failure::Failure;
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
