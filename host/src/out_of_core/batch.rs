//! Batches that sources and sinks hold.

use simt::Pod;

use super::feeds::{From, To};
use super::source::{Sink, Source};
use crate::batch::{check_sizes, order};
use crate::call::{Call, Handle};
use crate::error::{Error, Result};
use crate::layout::Layout;

/// A batch of matrices to be read from a [`Source`], compact: one matrix after the other.
#[derive(Clone, Copy)]
pub struct SourceBatch<'a, T> {
    pub(super) source: &'a dyn Source<T>,
    pub(super) batch: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) layout: Layout,
}

/// A batch of matrices to be written to a [`Sink`], compact: one matrix after the other.
#[derive(Clone, Copy)]
pub struct SinkBatch<'a, T> {
    pub(super) sink: &'a dyn Sink<T>,
    pub(super) batch: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) layout: Layout,
}

impl<'a, T: Pod> SourceBatch<'a, T> {
    /// `batch` matrices of `rows` x `cols`, each row by row.
    ///
    /// ```
    /// # use warplu::out_of_core::SourceBatch;
    /// let numbers: Vec<f64> = (0..8).map(f64::from).collect();
    /// let a = SourceBatch::c_order(&numbers, 2, 2, 2);
    /// assert_eq!(a.read(1, 1)?.get(0, 0, 1), 5.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn c_order(source: &'a dyn Source<T>, batch: usize, rows: usize, cols: usize) -> Self {
        Self { source, batch, rows, cols, layout: Layout::c_order(rows, cols) }
    }

    /// `batch` matrices of `rows` x `cols`, each column by column.
    ///
    /// ```
    /// # use warplu::out_of_core::SourceBatch;
    /// let numbers: Vec<f64> = (0..8).map(f64::from).collect();
    /// let a = SourceBatch::column_major(&numbers, 2, 2, 2);
    /// assert_eq!(a.read(1, 1)?.get(0, 0, 1), 6.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn column_major(source: &'a dyn Source<T>, batch: usize, rows: usize, cols: usize) -> Self {
        Self { source, batch, rows, cols, layout: Layout::column_major(rows, cols) }
    }

    pub(super) fn port(&self, call: &mut Call<'a>) -> Handle<T> {
        call.feed(Box::new(From(self.source)), self.rows, self.cols, self.layout)
    }

    /// The order of the square matrices.
    pub(super) fn order(&self) -> Result<usize> {
        check_sizes(self.batch, self.rows, self.cols)?;
        order(self.rows, self.cols)
    }

    /// Fails unless it has these sizes.
    pub(super) fn expect(&self, batch: usize, rows: usize) -> Result<()> {
        check_sizes(self.batch, self.rows, self.cols)?;
        if (self.batch, self.rows) == (batch, rows) {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "an input must hold {batch} matrices of {rows} rows, but it holds {} of {}",
            self.batch, self.rows
        )))
    }
}

impl<'a, T: Pod> SinkBatch<'a, T> {
    /// `batch` matrices of `rows` x `cols`, each row by row.
    ///
    /// ```
    /// # use std::sync::Mutex;
    /// # use warplu::out_of_core::SinkBatch;
    /// let results = Mutex::new(vec![0.0; 8]);
    /// let to = SinkBatch::c_order(&results, 2, 2, 2);
    /// # let _ = to;
    /// ```
    pub fn c_order(sink: &'a dyn Sink<T>, batch: usize, rows: usize, cols: usize) -> Self {
        Self { sink, batch, rows, cols, layout: Layout::c_order(rows, cols) }
    }

    /// `batch` matrices of `rows` x `cols`, each column by column.
    ///
    /// ```
    /// # use std::sync::Mutex;
    /// # use warplu::out_of_core::SinkBatch;
    /// let results = Mutex::new(vec![0.0; 8]);
    /// let to = SinkBatch::column_major(&results, 2, 2, 2);
    /// # let _ = to;
    /// ```
    pub fn column_major(sink: &'a dyn Sink<T>, batch: usize, rows: usize, cols: usize) -> Self {
        Self { sink, batch, rows, cols, layout: Layout::column_major(rows, cols) }
    }

    pub(super) fn port(&self, call: &mut Call<'a>) -> Handle<T> {
        call.drain(Box::new(To(self.sink)), self.rows, self.cols, self.layout)
    }

    /// Fails unless it has these sizes.
    pub(super) fn expect(&self, batch: usize, rows: usize, cols: usize) -> Result<()> {
        check_sizes(batch, rows, cols)?;
        if (self.batch, self.rows, self.cols) == (batch, rows, cols) {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "the output must hold {batch} matrices of {rows} x {cols}, but it holds {} of {} x {}",
            self.batch, self.rows, self.cols
        )))
    }
}
