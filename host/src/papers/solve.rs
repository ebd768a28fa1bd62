//! A X = B.

use numbers::problem::Problem;
use numbers::scalar::Scalar;

use super::Published;
use super::copy::prepare_copy;
use super::elimination::{Elimination, prepare_elimination};
use crate::backend::Backend;
use crate::element::{Element, conversion};
use crate::error::Result;
use crate::launch::{Launcher, cast};
use crate::layout::Layout;
use crate::route::{OwnFactors, Room, Space, Systems, Wide};

/// Elimination in copies of the matrices.
#[derive(Debug)]
pub(crate) struct Solve<T: Element> {
    how: Elimination,
    copy: OwnFactors<T::Scalar>,
    b: Wide<T>,
}

impl Published {
    /// The solution, loaded; none where it goes by factors.
    pub(crate) fn solve<T: Element>(
        self,
        backend: &Backend,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Solve<T>>> {
        let Self::Elimination { strategy, threads, pivoting } = self else { return Ok(None) };
        let how = Elimination { strategy, threads, pivoting };
        prepare_elimination(backend, how, T::Scalar::KIND, size)?;
        prepare_copy(backend, T::Scalar::KIND)?;
        let copy = OwnFactors::new(size.n as usize, space)?;
        Ok(Some(Solve { how, copy, b: Wide::new(backend, size.n, size.rhs, space)? }))
    }
}

impl<T: Element> Solve<T> {
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        systems: Systems<T>,
        room: Room<'_>,
        size: Problem,
    ) -> Result<()> {
        let (Systems { a, b, x, status }, Self { how, copy, b: wide }) = (systems, self);
        let Problem { n, batch, rhs } = size;
        // In C order, which its strategies are made for.
        let own = copy.laid_out(Layout::c_order(n as usize, n as usize), status, room);
        let to = wide.target(x, room);
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            if let Some(variant) = conversion::<T>() {
                launcher.widen(variant, a, own.lu, (n, n), batch)?;
                wide.widen(launcher, b, batch, room)?;
            } else {
                launcher.copy(cast(a), own.lu, (n, n), batch)?;
                launcher.copy::<T::Scalar>(cast(b), to, (n, rhs), batch)?;
            }
            launcher.eliminate(*how, own.lu, to, own.pivots, status, size)?;
            wide.narrow(launcher, x, batch, room)
        }
    }
}
