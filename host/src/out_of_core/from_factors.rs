//! Solutions from factors that sources hold.

use std::sync::atomic::AtomicI32;

use super::feeds::{CodeFeed, FactorFeed, PivotFeed};
use super::{SinkBatch, Source, SourceBatch};
use crate::batch::order;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::lend::Lent;
use crate::operation::{self, Size};
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;
use numbers::op::Op;

/// Solves op(A) X = B from factors that [`Device::lu_into`] wrote; see [`Lu::solve`](crate::Lu::solve). Their statuses
/// are found from them.
///
/// ```
/// # use std::sync::Mutex;
/// # use warplu::out_of_core::{self, SinkBatch, SourceBatch};
/// # use warplu::{Device, Op};
/// let (factors, pivots) = (vec![4.0, 2.0, 0.25, 1.5], vec![1_u32, 1]); // of the matrix [1 2; 4 2]
/// let (b, x) = (vec![3.0, 6.0], Mutex::new(vec![0.0; 2]));
/// let (lu, b) = (SourceBatch::row_major(&factors, 1, 2, 2)?, SourceBatch::row_major(&b, 1, 2, 1)?);
/// let to = SinkBatch::row_major(&x, 1, 2, 1)?;
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
    mut x: SinkBatch<'_, T>,
) -> Result<Statuses> {
    let (n, batch, size) = (order(lu.rows, lu.cols)?, lu.batch, Size { n: lu.rows, rhs: b.cols });
    let operation = operation::lu_solve::<T>();
    let mut codes: Vec<AtomicI32> = Vec::new();
    codes.try_reserve_exact(batch).map_err(|_| Error::HostMemory { bytes: 4 * batch })?;
    codes.resize_with(batch, || AtomicI32::new(0));
    let mut call = Call::new(device, batch);
    // In the order in which a worker reads them: the statuses of a chunk are found from its factors.
    let factors = FactorFeed { source: lu.source, n, codes: &codes };
    call.feed::<T::Scalar>(Box::new(factors), n, n, lu.layout);
    call.feed::<u32>(Box::new(PivotFeed { source: pivots, n }), n, 1, Layout::column_major(n, 1));
    call.feed::<i32>(Box::new(CodeFeed(&codes)), 1, 1, Layout::column_major(1, 1));
    call.lend((&operation, size), &[Lent::read(&b), Lent::write(&mut x)])?;
    if size.rhs == 0 && n > 0 {
        // The factors are read for their statuses.
        call.copy(&|_, _| Ok(()))?;
        let codes: Vec<i32> = codes.into_iter().map(AtomicI32::into_inner).collect();
        return Ok(Statuses::from_codes(&codes));
    }
    let solved = call.solve_from_factors(&operation, (size, op), filled(0, batch)?)?;
    Ok(Statuses::from_codes(&solved))
}
