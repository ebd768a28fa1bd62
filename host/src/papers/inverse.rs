//! A^-1.

use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::numbers::scalar::Scalar;
use kernels_gpu::shape::Problem;
use simt::global::Global;

use super::Published;
use super::bordering::{border_numbers, prepare_bordering};
use crate::backend::Backend;
use crate::element::Element;
use crate::error::Result;
use crate::launch::Launcher;
use crate::route::{Array, Room, Space, Wide};

/// Bordering, with what it works in.
#[derive(Debug)]
pub(crate) struct Inverse<T: Element> {
    scratch: Array<T::Scalar>, // shape (batch, border_numbers(n))
    wide: Wide<T>,
}

impl Published {
    /// The inversion, loaded; none where it goes by factors.
    pub(crate) fn inverse<T: Element>(
        self,
        backend: &Backend,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Inverse<T>>> {
        if self != Self::Bordering {
            return Ok(None);
        }
        prepare_bordering(backend, T::Scalar::KIND, size)?;
        let scratch = space.array(&[border_numbers(size.n as usize)])?;
        Ok(Some(Inverse { scratch, wide: Wide::new(backend, size.n, size.n, space)? }))
    }
}

impl<T: Element> Inverse<T> {
    /// `inverse` may be `a`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        room: Room<'_>,
        size: Problem,
    ) -> Result<()> {
        let Self { scratch, wide } = self;
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            let from = wide.widen(launcher, a, size.batch, room)?;
            launcher.border(from, wide.target(inverse, room), status, room.at(*scratch), size)?;
            wide.narrow(launcher, inverse, size.batch, room)
        }
    }
}
