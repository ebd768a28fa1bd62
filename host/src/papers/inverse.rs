//! A^-1.

use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::Published;
use super::block_bordering::{BlockBordering, columns};
use super::bordering::{border_numbers, prepare_bordering};
use crate::backend::Backend;
use crate::element::Element;
use crate::error::Result;
use crate::launch::Launcher;
use crate::route::{Array, Room, Space, Wide};

/// Bordering, with what it works in.
#[derive(Debug)]
pub(crate) struct Inverse<T: Element> {
    how: How<T::Scalar>,
    wide: Wide<T>,
}

#[derive(Debug)]
enum How<S> {
    ByColumns(Array<S>), // scratch memory: shape (batch, border_numbers(n))
    ByBlocks(Box<BlockBordering<S>>),
}

impl Published {
    /// The inversion, loaded; none where it goes by factors.
    pub(crate) fn inverse<T: Element>(
        self,
        backend: &Backend,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Inverse<T>>> {
        let Self::Bordering { block } = self else { return Ok(None) };
        let how = match columns(backend, T::Scalar::KIND, size.n, block)? {
            1 => {
                prepare_bordering(backend, T::Scalar::KIND, size)?;
                How::ByColumns(space.array(&[border_numbers(size.n as usize)])?)
            }
            block => How::ByBlocks(Box::new(BlockBordering::new(backend, block, size.n, space)?)),
        };
        Ok(Some(Inverse { how, wide: Wide::new(backend, size.n, size.n, space)? }))
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
        let Self { how, wide } = self;
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            let both = (wide.widen(launcher, a, size.batch, room)?, wide.target(inverse, room));
            match how {
                How::ByColumns(scratch) => launcher.border(both.0, both.1, status, room.at(*scratch), size)?,
                How::ByBlocks(blocks) => blocks.enqueue(launcher, both, status, room, size)?,
            }
            wide.narrow(launcher, inverse, size.batch, room)
        }
    }
}
