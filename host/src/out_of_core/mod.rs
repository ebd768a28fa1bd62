//! Batches that need not fit in memory: read and written by ranges, from files or whatever else can do that.
//!
//! The calls are those of [`Device`], with a [`Source`] for each input and a [`Sink`] for each output. Workers take
//! chunks of matrices in turn, so ranges are read and written out of order, several at a time, and each range once.
//! What is in memory at a time is a few MiB a worker, of which there are at most 16, 1 GiB in all at most, or one
//! matrix, and statuses.
//!
//! ```
//! use std::io;
//! use std::sync::Mutex;
//! use warplu::Device;
//! use warplu::out_of_core::{self, Sink, SinkBatch, Source, SourceBatch};
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
//! let (a, inverse) = (SourceBatch::c_order(&Numbers, 1_000_000, 1, 1), SinkBatch::c_order(&sum, 1_000_000, 1, 1));
//! assert!(out_of_core::invert(&Device::cpu(), a, inverse)?.all_ok());
//! assert!((*sum.0.lock().unwrap() - 14.392726722865).abs() < 1e-9); // the harmonic number
//! # Ok::<(), warplu::Error>(())
//! ```

mod batch;
mod feeds;
mod memory;
mod source;
mod with_factors;

pub use batch::{SinkBatch, SourceBatch};
pub use source::{Sink, Source};
pub use with_factors::with_factors;

use std::sync::atomic::AtomicI32;

use crate::call::Call;
use crate::device::Device;
use crate::element::{Double, Element};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::operation::{self, Size};
use crate::ops::{Determinants, Logs, Outcome, Refinement, solve_refined_by};
use crate::statuses::Statuses;
use crate::triangle::Triangle;
use feeds::{CodeFeed, FactorFeed, PivotFeed, To};
use kernels_cpu::fresh::filled;
use numbers::op::Op;

/// Inverts each matrix; see [`Device::invert`].
///
/// ```
/// use std::sync::Mutex;
/// use warplu::Device;
/// use warplu::out_of_core::{self, SinkBatch, SourceBatch};
/// let (a, inverse) = (vec![2.0, 4.0, 8.0], Mutex::new(vec![0.0; 3]));
/// let (a, to) = (SourceBatch::c_order(&a, 3, 1, 1), SinkBatch::c_order(&inverse, 3, 1, 1));
/// assert!(out_of_core::invert(&Device::cpu(), a, to)?.all_ok());
/// assert_eq!(*inverse.lock().unwrap(), [0.5, 0.25, 0.125]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Device::invert`], and what source and sink return. Then the sink has been given some of the inverses.
pub fn invert<T: Element>(device: &Device, a: SourceBatch<'_, T>, inverse: SinkBatch<'_, T>) -> Result<Statuses> {
    let (n, batch) = (a.order()?, a.batch);
    inverse.expect(batch, n, n)?;
    let mut call = Call::new(device, batch);
    a.port(&mut call);
    inverse.port(&mut call);
    let codes = call.perform(&operation::invert::<T>(), Size::order(n))?;
    Ok(Statuses::from_codes(&codes))
}

/// Solves A X = B; see [`Device::solve`].
///
/// ```
/// use std::sync::Mutex;
/// use warplu::Device;
/// use warplu::out_of_core::{self, SinkBatch, SourceBatch};
/// let (a, b, x) = (vec![2.0, 1.0, 1.0, 1.0], vec![3.0, 2.0], Mutex::new(vec![0.0; 2]));
/// let (a, b) = (SourceBatch::c_order(&a, 1, 2, 2), SourceBatch::c_order(&b, 1, 2, 1));
/// assert!(out_of_core::solve(&Device::cpu(), a, b, SinkBatch::c_order(&x, 1, 2, 1))?.all_ok());
/// assert_eq!(*x.lock().unwrap(), [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Device::solve`], and what sources and sink return. Then the sink has been given some of the solutions.
pub fn solve<T: Element>(
    device: &Device,
    a: SourceBatch<'_, T>,
    b: SourceBatch<'_, T>,
    x: SinkBatch<'_, T>,
) -> Result<Statuses> {
    let (n, batch, rhs) = (a.order()?, a.batch, b.cols);
    b.expect(batch, n)?;
    x.expect(batch, n, rhs)?;
    if rhs == 0 {
        return Ok(det(device, a)?.status);
    }
    let mut call = Call::new(device, batch);
    a.port(&mut call);
    b.port(&mut call);
    x.port(&mut call);
    let codes = call.perform(&operation::solve::<T>(), Size { n, rhs })?;
    Ok(Statuses::from_codes(&codes))
}

/// Solves A X = B by factors in single precision; see [`Device::solve_refined`].
///
/// ```
/// # use std::sync::Mutex;
/// # use warplu::out_of_core::{self, SinkBatch, SourceBatch};
/// # use warplu::{Device, Refinement};
/// let (a, b, x) = (vec![2.0, 1.0, 1.0, 1.0], vec![3.0, 2.0], Mutex::new(vec![0.0; 2]));
/// let (a, b) = (SourceBatch::c_order(&a, 1, 2, 2), SourceBatch::c_order(&b, 1, 2, 1));
/// let (status, how) = out_of_core::solve_refined(&Device::cpu(), a, b, SinkBatch::c_order(&x, 1, 2, 1))?;
/// assert!(status.all_ok() && how == [Refinement::Converged(0)]);
/// assert_eq!(*x.lock().unwrap(), [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`solve`].
pub fn solve_refined<T: Double>(
    device: &Device,
    a: SourceBatch<'_, T>,
    b: SourceBatch<'_, T>,
    x: SinkBatch<'_, T>,
) -> Result<(Statuses, Vec<Refinement>)> {
    let (n, batch, rhs) = (a.order()?, a.batch, b.cols);
    b.expect(batch, n)?;
    x.expect(batch, n, rhs)?;
    let mut outcome = Outcome::new(batch)?;
    if rhs == 0 {
        return Ok((det(device, a)?.status, outcome.refinement));
    }
    let mut call = Call::new(device, batch);
    let ports = (a.port(&mut call), b.port(&mut call), x.port(&mut call));
    solve_refined_by(device, (n, rhs), call, ports, &mut outcome)?;
    Ok((Statuses::from_codes(&outcome.codes), outcome.refinement))
}

/// Factors PA = LU; see [`Device::lu`]. `pivots` are (batch, n), from 0.
///
/// ```
/// # use std::sync::Mutex;
/// # use warplu::Device;
/// # use warplu::out_of_core::{self, SinkBatch, SourceBatch};
/// let a = vec![1.0, 2.0, 4.0, 2.0];
/// let (factors, pivots) = (Mutex::new(vec![0.0; 4]), Mutex::new(vec![0_u32; 2]));
/// let (a, to) = (SourceBatch::c_order(&a, 1, 2, 2), SinkBatch::c_order(&factors, 1, 2, 2));
/// assert!(out_of_core::lu::<f64>(&Device::cpu(), a, to, &pivots)?.all_ok());
/// assert_eq!(*factors.lock().unwrap(), [4.0, 2.0, 0.25, 1.5]);
/// assert_eq!(*pivots.lock().unwrap(), [1, 1]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Device::lu`], and what source and sinks return. Then the sinks have been given some of the factors.
pub fn lu<T: Element>(
    device: &Device,
    a: SourceBatch<'_, T>,
    lu: SinkBatch<'_, T::Scalar>,
    pivots: &dyn Sink<u32>,
) -> Result<Statuses> {
    let (n, batch) = (a.order()?, a.batch);
    lu.expect(batch, n, n)?;
    let mut call = Call::new(device, batch);
    a.port(&mut call);
    lu.port(&mut call);
    call.drain::<u32>(Box::new(To(pivots)), n, 1, Layout::column_major(n, 1));
    let codes = call.perform(&operation::factor_lu::<T>(), Size::order(n))?;
    Ok(Statuses::from_codes(&codes))
}

/// Factors positive definite matrices, A = L L^H or A = U^H U; see [`Device::cholesky`].
///
/// ```
/// # use std::sync::Mutex;
/// # use warplu::out_of_core::{self, SinkBatch, SourceBatch};
/// # use warplu::{Device, Triangle};
/// let (a, factors) = (vec![4.0, 2.0, 2.0, 2.0], Mutex::new(vec![0.0; 4]));
/// let (a, to) = (SourceBatch::c_order(&a, 1, 2, 2), SinkBatch::c_order(&factors, 1, 2, 2));
/// assert!(out_of_core::cholesky::<f64>(&Device::cpu(), a, Triangle::Lower, to)?.all_ok());
/// assert_eq!(*factors.lock().unwrap(), [2.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Device::cholesky`], and what source and sink return. Then the sink has been given some of the factors.
pub fn cholesky<T: Element>(
    device: &Device,
    a: SourceBatch<'_, T>,
    triangle: Triangle,
    factors: SinkBatch<'_, T::Scalar>,
) -> Result<Statuses> {
    let (n, batch) = (a.order()?, a.batch);
    factors.expect(batch, n, n)?;
    let mut call = Call::new(device, batch);
    a.port(&mut call);
    factors.port(&mut call);
    let codes = call.perform(&operation::factor_cholesky::<T>(triangle), Size::order(n))?;
    Ok(Statuses::from_codes(&codes))
}

/// Solves op(A) X = B from factors that [`lu`] wrote; see [`Lu::solve`](crate::Lu::solve). Their statuses are found
/// from them.
///
/// ```
/// # use std::sync::Mutex;
/// # use warplu::out_of_core::{self, SinkBatch, SourceBatch};
/// # use warplu::{Device, Op};
/// let (factors, pivots) = (vec![4.0, 2.0, 0.25, 1.5], vec![1_u32, 1]); // of the matrix [1 2; 4 2]
/// let (b, x) = (vec![3.0, 6.0], Mutex::new(vec![0.0; 2]));
/// let (lu, b) = (SourceBatch::c_order(&factors, 1, 2, 2), SourceBatch::c_order(&b, 1, 2, 1));
/// let to = SinkBatch::c_order(&x, 1, 2, 1);
/// assert!(out_of_core::solve_from_factors(&Device::cpu(), lu, &pivots, Op::None, b, to)?.all_ok());
/// assert_eq!(*x.lock().unwrap(), [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Lu::solve`](crate::Lu::solve), [`Error::Shape`] for a pivot that is not below n, and what sources and sink
/// return. Then the sink has been given some of the solutions.
pub fn solve_from_factors<T: Element>(
    device: &Device,
    lu: SourceBatch<'_, T>,
    pivots: &dyn Source<u32>,
    op: Op,
    b: SourceBatch<'_, T>,
    x: SinkBatch<'_, T>,
) -> Result<Statuses> {
    let (n, batch, rhs) = (lu.order()?, lu.batch, b.cols);
    b.expect(batch, n)?;
    x.expect(batch, n, rhs)?;
    let mut codes: Vec<AtomicI32> = Vec::new();
    codes.try_reserve_exact(batch).map_err(|_| Error::HostMemory { bytes: 4 * batch })?;
    codes.resize_with(batch, || AtomicI32::new(0));
    let mut call = Call::new(device, batch);
    // In the order in which a worker reads them: the statuses of a chunk are found from its factors.
    let factors = FactorFeed { source: lu.source, n, codes: &codes };
    call.feed::<T::Scalar>(Box::new(factors), n, n, lu.layout);
    call.feed::<u32>(Box::new(PivotFeed { source: pivots, n }), n, 1, Layout::column_major(n, 1));
    call.feed::<i32>(Box::new(CodeFeed(&codes)), 1, 1, Layout::column_major(1, 1));
    b.port(&mut call);
    x.port(&mut call);
    if rhs == 0 && n > 0 {
        // The factors are read for their statuses.
        call.copy(&|_, _| Ok(()))?;
        let codes: Vec<i32> = codes.into_iter().map(AtomicI32::into_inner).collect();
        return Ok(Statuses::from_codes(&codes));
    }
    let solved = call.solve_from_lu::<T>(Size { n, rhs }, op, filled(0, batch)?)?;
    Ok(Statuses::from_codes(&solved))
}

/// The determinants; see [`Device::det`].
///
/// ```
/// # use warplu::Device;
/// # use warplu::out_of_core::{self, SourceBatch};
/// let a = vec![0.0, 1.0, 1.0, 0.0];
/// assert_eq!(out_of_core::det(&Device::cpu(), SourceBatch::c_order(&a, 1, 2, 2))?.phase, [-1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Device::det`], and what the source returns.
pub fn det<T: Element>(device: &Device, a: SourceBatch<'_, T>) -> Result<Determinants<T>> {
    let (n, batch) = (a.order()?, a.batch);
    let mut call = Call::new(device, batch);
    a.port(&mut call);
    Logs::new(batch)?.of_matrices(call, n)
}
