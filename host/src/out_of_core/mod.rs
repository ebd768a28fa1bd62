//! Batches that need not fit in memory: read and written by ranges, from files or whatever else can do that.
//!
//! A [`SourceBatch`] is an [`Input`](crate::Input) of the calls of [`Device`](crate::Device), and a [`SinkBatch`] an
//! [`Output`](crate::Output) of those that end in `_into`; the others return results in memory. Workers take chunks of
//! matrices in turn, so ranges are read and written out of order, several at a time, and each range once. What is in
//! memory at a time is a few MiB a worker, of which there are at most 16, 1 GiB in all at most, or one matrix, and
//! statuses.
//!
//! ```
//! use std::io;
//! use std::sync::Mutex;
//! use warplu::Device;
//! use warplu::out_of_core::{Sink, SinkBatch, Source, SourceBatch};
//!
//! /// 1,000,000 matrices of order 1 that are nowhere.
//! struct Numbers;
//! impl Source<f64> for Numbers {
//!     fn read(&self, first: usize, to: &mut [f64]) -> io::Result<()> {
//!         to.iter_mut().zip(first..).for_each(|(x, i)| *x = 1.0 + i as f64);
//!         Ok(())
//!     }
//! }
//! /// Keeps their sum.
//! struct Sum(Mutex<f64>);
//! impl Sink<f64> for Sum {
//!     fn write(&self, _first: usize, from: &[f64]) -> io::Result<()> {
//!         *self.0.lock().unwrap() += from.iter().sum::<f64>();
//!         Ok(())
//!     }
//! }
//!
//! let sum = Sum(Mutex::new(0.0));
//! let a = SourceBatch::row_major(&Numbers, 1_000_000, 1, 1)?;
//! let mut inverse = SinkBatch::row_major(&sum, 1_000_000, 1, 1)?;
//! assert!(Device::cpu().invert_into(&a, &mut inverse)?.all_ok());
//! assert!((*sum.0.lock().unwrap() - 14.392726722865).abs() < 1e-9); // the harmonic number
//! # Ok::<(), warplu::Error>(())
//! ```

mod batch;
mod feeds;
mod from_factors;
mod memory;
mod source;
mod with_factors;

pub use batch::{SinkBatch, SourceBatch};
pub use from_factors::solve_from_factors;
pub use source::{Sink, Source};
pub use with_factors::{in_pieces, with_factors};
