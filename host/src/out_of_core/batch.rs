//! Batches that sources and sinks hold.

use simt::Pod;

use super::feeds::{From, To};
use super::source::{Sink, Source};
use crate::batch::check_sizes;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::lend::{Input, Lend, LendMut, Output, Sizes};
use crate::matrices::Matrices;
use crate::operation::Access;
use crate::ops::{Cholesky, Lu, factored};
use crate::triangle::Triangle;

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
    /// let a = SourceBatch::row_major(&numbers, 2, 2, 2)?;
    /// assert_eq!(a.read(1, 1)?.get(0, 0, 1), 5.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if they are of sizes that no memory holds.
    pub fn row_major(source: &'a dyn Source<T>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_sizes(batch, rows, cols)?;
        Ok(Self { source, batch, rows, cols, layout: Layout::row_major(rows, cols) })
    }

    /// `batch` matrices of `rows` x `cols`, each column by column.
    ///
    /// ```
    /// # use warplu::out_of_core::SourceBatch;
    /// let numbers: Vec<f64> = (0..8).map(f64::from).collect();
    /// let a = SourceBatch::column_major(&numbers, 2, 2, 2)?;
    /// assert_eq!(a.read(1, 1)?.get(0, 0, 1), 6.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if they are of sizes that no memory holds.
    pub fn column_major(source: &'a dyn Source<T>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_sizes(batch, rows, cols)?;
        Ok(Self { source, batch, rows, cols, layout: Layout::column_major(rows, cols) })
    }
}

impl<'a, T: Pod> SinkBatch<'a, T> {
    /// `batch` matrices of `rows` x `cols`, each row by row.
    ///
    /// ```
    /// # use std::sync::Mutex;
    /// # use warplu::out_of_core::SinkBatch;
    /// let results = Mutex::new(vec![0.0; 8]);
    /// let to = SinkBatch::row_major(&results, 2, 2, 2)?;
    /// # let _ = to;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if they are of sizes that no memory holds.
    pub fn row_major(sink: &'a dyn Sink<T>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_sizes(batch, rows, cols)?;
        Ok(Self { sink, batch, rows, cols, layout: Layout::row_major(rows, cols) })
    }

    /// `batch` matrices of `rows` x `cols`, each column by column.
    ///
    /// ```
    /// # use std::sync::Mutex;
    /// # use warplu::out_of_core::SinkBatch;
    /// let results = Mutex::new(vec![0.0; 8]);
    /// let to = SinkBatch::column_major(&results, 2, 2, 2)?;
    /// # let _ = to;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if they are of sizes that no memory holds.
    pub fn column_major(sink: &'a dyn Sink<T>, batch: usize, rows: usize, cols: usize) -> Result<Self> {
        check_sizes(batch, rows, cols)?;
        Ok(Self { sink, batch, rows, cols, layout: Layout::column_major(rows, cols) })
    }
}

impl<T: Pod> Lend for SourceBatch<'_, T> {
    fn sizes(&self) -> Sizes<'_> {
        Sizes::One { count: self.batch, shape: (self.rows, self.cols), layout: self.layout }
    }

    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, _members: &[usize], _access: Access) {
        call.feed::<T>(Box::new(From(self.source)), self.rows, self.cols, self.layout);
    }
}

impl<T: Element> Input for SourceBatch<'_, T> {
    type Element = T;
    type Owned = Matrices<T>;
    type Lu = Lu<T>;
    type Cholesky = Cholesky<T>;

    fn lu(&self, device: &Device) -> Result<Lu<T>> {
        factored(device, (), self)
    }

    fn cholesky(&self, device: &Device, triangle: Triangle) -> Result<Cholesky<T>> {
        factored(device, triangle, self)
    }
}

impl<T: Pod> Lend for SinkBatch<'_, T> {
    fn sizes(&self) -> Sizes<'_> {
        Sizes::One { count: self.batch, shape: (self.rows, self.cols), layout: self.layout }
    }

    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, _members: &[usize], _access: Access) {
        call.drain::<T>(Box::new(To(self.sink)), self.rows, self.cols, self.layout);
    }
}

// SAFETY: a sink is given what is written.
unsafe impl<T: Pod> LendMut for SinkBatch<'_, T> {}

impl<T: Element> Output for SinkBatch<'_, T> {
    type Owned = Matrices<T>;
}
