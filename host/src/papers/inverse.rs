//! A^-1, by bordering.

use numbers::problem::Problem;
use numbers::scalar::Scalar;

use super::Published;
use super::block_bordering::{BlockBordering, columns};
use super::bordering::{border_numbers, prepare_bordering};
use crate::backend::Backend;
use crate::element::Element;
use crate::error::Result;
use crate::operation::Route;
use crate::route::{Array, Space, Wide};

enum How<S> {
    ByColumns(Array<S>), // scratch memory: shape (batch, border_numbers(n))
    ByBlocks(Box<BlockBordering<S>>),
}

impl Published {
    /// The route of [`invert`](crate::operation::invert); none where it goes by factors.
    pub(crate) fn inverse<T: Element>(
        self,
        backend: &Backend,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Route>> {
        let Self::Bordering { block } = self else { return Ok(None) };
        let how = match columns(backend, T::Scalar::KIND, size.n, block)? {
            1 => {
                prepare_bordering(backend, T::Scalar::KIND, size)?;
                How::ByColumns(space.array(&[border_numbers(size.n as usize)])?)
            }
            block => How::ByBlocks(Box::new(BlockBordering::<T::Scalar>::new(backend, block, size.n, space)?)),
        };
        let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
        Route::new(Vec::new(), move |work| {
            let (launcher, batch, inverse, room) = (work.launcher, work.batch, work.matrices(1), work.room);
            // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
            unsafe {
                let from = wide.widen(launcher, work.matrices(0), batch, room)?;
                let (to, status, size) = (wide.target(inverse, room), work.values(2), work.sized(size));
                match &how {
                    How::ByColumns(scratch) => launcher.border(from, to, status, room.at(*scratch), size)?,
                    How::ByBlocks(blocks) => blocks.enqueue(launcher, (from, to), status, room, size)?,
                }
                wide.narrow(launcher, inverse, batch, room)
            }
        })
        .map(Some)
    }
}
