//! Values of each matrix as operands: pivots, determinants.

use std::marker::PhantomData;

use simt::Pod;

use super::{Lend, LendMut, Sizes};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::operation::Access;
use crate::ragged::Spot;

/// Values that a call writes, those of one matrix after those of the other.
pub(crate) struct Values<'a, T> {
    /// Of the first matrix.
    first: Spot<T>,
    batch: usize,
    /// Of each matrix of many sizes.
    spots: Option<Vec<Spot<T>>>,
    borrow: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod> Values<'a, T> {
    /// One of each matrix.
    pub(crate) fn one(values: &'a mut [T], matrices: Sizes<'_>) -> Self {
        debug_assert_eq!(values.len(), matrices.count());
        Self::new(values, matrices, |_| 1)
    }

    /// A value for each row of each matrix; `what` they are.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not so many.
    pub(crate) fn rows(values: &'a mut [T], matrices: Sizes<'_>, what: &str) -> Result<Self> {
        let rows = |b: usize| matrices.shape(b).0;
        let wanted = match matrices {
            Sizes::One { count, shape, .. } => shape.0.saturating_mul(count),
            Sizes::Many(many) => (0..many.count()).map(rows).sum(),
        };
        if values.len() != wanted {
            let len = values.len();
            return Err(Error::Shape(format!(
                "the slice for the {what} must have {wanted} elements, but it has {len}"
            )));
        }
        Ok(Self::new(values, matrices, rows))
    }

    fn new(values: &'a mut [T], matrices: Sizes<'_>, count: impl Fn(usize) -> usize) -> Self {
        let (start, batch) = (values.as_mut_ptr(), matrices.count());
        let spot = |offset, count| Spot::new(start, offset, (count, 1).into(), Layout::column_major(count, 1));
        let spots = matrices.is_ragged().then(|| {
            let ends = (0..batch).scan(0, |end, b| {
                let offset = *end;
                *end += count(b);
                Some(spot(offset, count(b)))
            });
            ends.collect()
        });
        let first = spot(0, if spots.is_some() { 0 } else { count(0) });
        Self { first, batch, spots, borrow: PhantomData }
    }
}

impl<T: Pod> Lend for Values<'_, T> {
    fn sizes(&self) -> Sizes<'_> {
        match &self.spots {
            Some(spots) => Sizes::Many(spots),
            None => {
                let (shape, layout) = ((self.first.shape.rows, 1), self.first.layout());
                Sizes::One { count: self.batch, shape, layout: Layout { batch_stride: shape.0, ..layout } }
            }
        }
    }

    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, members: &[usize], access: Access) {
        debug_assert_eq!(access, Access::Write);
        let rows = self.first.shape.rows;
        // SAFETY: the caller's promise.
        unsafe {
            match &self.spots {
                Some(spots) => call.values_anywhere(members.iter().map(|&b| spots[b]).collect()),
                None => call.either(access, self.first.start, (rows, 1), Layout::column_major(rows, 1)),
            }
        };
    }
}

// SAFETY: it borrows the values to be written.
unsafe impl<T: Pod> LendMut for Values<'_, T> {}
