//! A X = B, by elimination in copies of the matrices.

use numbers::problem::Problem;
use numbers::scalar::Scalar;

use super::Published;
use super::copy::prepare_copy;
use super::elimination::{Elimination, prepare_elimination};
use crate::backend::Backend;
use crate::element::{Element, conversion};
use crate::error::Result;
use crate::launch::cast;
use crate::layout::Layout;
use crate::operation::Route;
use crate::route::{OwnFactors, Space, Wide};

impl Published {
    /// The route of [`solve`](crate::operation::solve); none where it goes by factors.
    pub(crate) fn solve<T: Element>(
        self,
        backend: &Backend,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Route>> {
        let Self::Elimination { strategy, threads, pivoting } = self else { return Ok(None) };
        let how = Elimination { strategy, threads, pivoting };
        prepare_elimination(backend, how, T::Scalar::KIND, size)?;
        prepare_copy(backend, T::Scalar::KIND)?;
        let copy = OwnFactors::<T::Scalar>::new(size.n as usize, space)?;
        let wide = Wide::<T>::new(backend, size.n, size.rhs, space)?;
        Route::new(Vec::new(), move |work| {
            let (launcher, room, status, x) = (work.launcher, work.room, work.values(3), work.matrices(2));
            let (a, b) = (work.matrices::<T>(0), work.matrices::<T>(1));
            let Problem { n, batch, rhs } = work.sized(size);
            // In C order, which its strategies are made for.
            let own = copy.laid_out(Layout::row_major(n as usize, n as usize), status, room);
            let to = wide.target(x, room);
            // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
            unsafe {
                if let Some(variant) = conversion::<T>() {
                    launcher.widen(variant, a, own.lu, (n, n), batch)?;
                    wide.widen(launcher, b, batch, room)?;
                } else {
                    launcher.copy(cast(a), own.lu, (n, n), batch)?;
                    launcher.copy::<T::Scalar>(cast(b), to, (n, rhs), batch)?;
                }
                launcher.eliminate(how, own.lu, to, own.pivots, status, work.sized(size))?;
                wide.narrow(launcher, x, batch, room)
            }
        })
        .map(Some)
    }
}
