//! A single matrix in memory, of those that are in files.

use std::path::Path;

use warplu::Pod;
use warplu::{Batch, Element};

use crate::failure::{Failure, Result};
use crate::memory::zeros;

/// One matrix.
#[derive(Debug)]
pub(crate) struct Matrix<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
    column_major: bool,
}

impl<T: Pod> Matrix<T> {
    /// Takes memory and has it filled by `read`. `path` is that of the file, for messages.
    pub(crate) fn read(
        path: &Path,
        rows: usize,
        cols: usize,
        column_major: bool,
        read: impl FnOnce(&mut [T]) -> Result<()>,
    ) -> Result<Self> {
        let mut data = zeros(rows * cols).map_err(|_| Failure::memory(path, rows * cols * size_of::<T>()))?;
        read(&mut data)?;
        Ok(Self { data, rows, cols, column_major })
    }
}

impl<T: Element> Matrix<T> {
    /// As a batch of one.
    pub(crate) fn view(&self) -> warplu::Result<Batch<'_, T>> {
        match self.column_major {
            true => Batch::column_major(&self.data, 1, self.rows, self.cols),
            false => Batch::row_major(&self.data, 1, self.rows, self.cols),
        }
    }
}
