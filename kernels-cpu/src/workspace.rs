//! Memory for the work on matrices one by one, asked for before all work and used for one after the other.

use std::sync::{Mutex, PoisonError};

use super::view::MatMut;
use simt::Pod;

use super::transfer::CONFLICTS;
use crate::error::Result;
use crate::fresh::{Fresh, filled};

/// Bytes that columns are aligned to.
const ALIGNMENT: usize = 64;

/// Workspaces for as many matrices as are worked on at a time.
pub(super) struct Workspaces<S>(Mutex<Vec<Workspace<S>>>);

impl<S: Pod> Workspaces<S> {
    /// `count` workspaces, each with `columns` columns of height n and as many pivots.
    ///
    /// # Errors
    /// There is too little memory.
    pub(super) fn new(count: usize, n: usize, columns: usize) -> Result<Self> {
        let all: Result<Vec<_>> = (0..count).map(|_| Workspace::new(n, columns)).collect();
        Ok(Self(Mutex::new(all?)))
    }

    /// Calls a function with a workspace that nobody else has.
    ///
    /// # Panics
    /// If there are more calls at a time than workspaces.
    pub(super) fn with(&self, f: impl FnOnce(&mut Workspace<S>)) {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workspace = free().pop().expect("there is a workspace for each matrix that is worked on");
        f(&mut workspace);
        free().push(workspace);
    }
}

/// Columns for one matrix and what belongs to it.
pub(super) struct Workspace<S> {
    columns: Fresh<S>,
    /// Elements before the first aligned one.
    skipped: usize,
    /// Elements from a column to the next.
    stride: usize,
    n: usize,
    pivots: Vec<u32>,
}

impl<S: Pod> Workspace<S> {
    fn new(n: usize, columns: usize) -> Result<Self> {
        let stride = leading_dimension(n, size_of::<S>());
        let mut columns = Fresh::<S>::new(stride.saturating_mul(columns.saturating_add(1)))?;
        let skipped = columns.as_mut_ptr().addr().next_multiple_of(ALIGNMENT) - columns.as_mut_ptr().addr();
        Ok(Self { columns, skipped: skipped / size_of::<S>(), stride, n, pivots: filled(0, n)? })
    }

    /// Matrices of height n and of these widths, not yet written, and the pivots.
    ///
    /// # Panics
    /// If there are fewer columns.
    pub(super) fn split<const K: usize>(&mut self, widths: [usize; K]) -> ([MatMut<'_, S>; K], &mut [u32]) {
        let used = self.skipped + widths.iter().sum::<usize>() * self.stride;
        assert!(used <= self.columns.len(), "the workspace has fewer columns");
        let mut start = self.columns.as_mut_ptr().wrapping_add(self.skipped);
        let matrices = widths.map(|width| {
            let first = start;
            start = start.wrapping_add(width * self.stride);
            // SAFETY: the columns are there, apart from each other, and borrowed as the workspace is; plain numbers may
            // have any bits, and whoever gets them writes them first.
            unsafe { MatMut::from_raw_parts_mut(first, self.n, width, 1, self.stride as isize) }
        });
        (matrices, &mut self.pivots)
    }
}

/// Elements from a column of height n to the next.
fn leading_dimension(n: usize, size: usize) -> usize {
    let bytes = n.saturating_mul(size).max(1).checked_next_multiple_of(ALIGNMENT).unwrap_or(usize::MAX);
    let conflicts = bytes.is_multiple_of(CONFLICTS);
    bytes.saturating_add(if conflicts { ALIGNMENT } else { 0 }) / size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::NoMemory;

    #[test]
    fn columns_are_aligned_and_apart() {
        for n in [1, 5, 64, 129, 512] {
            let mut workspace = Workspace::<f32>::new(n, 7).unwrap();
            let ([mut a, b], pivots) = workspace.split([3, 4]);
            assert!(pivots.len() == n && a.shape() == (n, 3) && b.shape() == (n, 4));
            for j in 0..3 {
                assert!(a.rb_mut().split_at_col_mut(j).1.as_ptr_mut().addr().is_multiple_of(ALIGNMENT));
            }
            assert_eq!(b.as_ptr_mut().addr() - a.as_ptr_mut().addr(), 3 * a.col_stride() as usize * 4);
            assert!(a.col_stride() as usize >= n && !(a.col_stride() as usize * 4).is_multiple_of(CONFLICTS));
        }
    }

    #[test]
    fn what_there_is_no_memory_for_is_refused() {
        let refused = Workspaces::<f64>::new(3, 1 << 20, 1 << 40);
        assert!(matches!(refused.err(), Some(NoMemory { .. })));
    }
}
