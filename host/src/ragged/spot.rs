//! Where matrices of many sizes are in memory of callers.

use simt::Pod;

use super::shape::{Shape, total};
use crate::error::{Error, Result};
use crate::layout::Layout;

/// Where a matrix is, and its size. It is an address yet: whoever makes one for others promises what is there.
#[derive(Debug)]
pub(crate) struct Spot<T> {
    /// Element (0, 0), unless the matrix is empty.
    pub(crate) start: *mut T,
    pub(crate) shape: Shape,
    row_stride: usize,
    col_stride: usize,
}

impl<T> Clone for Spot<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Spot<T> {}

// SAFETY: an address and numbers; whoever reads or writes there has promised that nobody else is in the way.
unsafe impl<T: Pod> Send for Spot<T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Sync for Spot<T> {}

impl<T: Pod> Spot<T> {
    /// At element `offset` from `start` on; the batch stride is not used.
    pub(crate) fn new(start: *mut T, offset: usize, shape: Shape, layout: Layout) -> Self {
        let Layout { row_stride, col_stride, .. } = layout;
        Self { start: start.wrapping_add(offset), shape, row_stride, col_stride }
    }

    /// Where its elements are from the start on.
    pub(crate) fn layout(&self) -> Layout {
        Layout { batch_stride: 0, row_stride: self.row_stride, col_stride: self.col_stride }
    }

    /// The compact layout of the same kind.
    pub(crate) fn compact(&self) -> Layout {
        self.layout().compact(self.shape.rows, self.shape.cols)
    }

    /// Whether its elements are as in the compact layout.
    pub(crate) fn is_compact(&self) -> bool {
        let Layout { row_stride, col_stride, .. } = self.compact();
        (row_stride, col_stride) == (self.row_stride, self.col_stride)
    }

    /// The address of element (i, j).
    ///
    /// # Panics
    /// If there is no such element.
    pub(super) fn at(&self, b: usize, i: usize, j: usize) -> *mut T {
        assert!(i < self.shape.rows && j < self.shape.cols, "no element ({b}, {i}, {j})");
        self.start.wrapping_add(self.layout().at(0, i, j))
    }

    /// Elements from the first to one past the last.
    fn span(&self) -> Option<usize> {
        self.layout().span(1, self.shape.rows, self.shape.cols)
    }

    /// Addresses of the first element and of one past the last.
    fn range(&self) -> (usize, usize) {
        let first = self.start.addr();
        (first, first + self.span().unwrap_or(0) * size_of::<T>())
    }
}

/// Matrices one after the other in `len` elements from `start` on, all of which they take.
pub(crate) fn back_to_back<T: Pod, S: Copy + Into<Shape>>(
    start: *mut T,
    len: usize,
    shapes: &[S],
    layout: impl Fn(usize, usize) -> Layout,
) -> Result<Vec<Spot<T>>> {
    let wanted = total(shapes.iter().map(|&shape| shape.into()))?;
    if wanted != len {
        return Err(Error::Shape(format!(
            "{} matrices of these sizes are {wanted} elements, but the slice holds {len}",
            shapes.len()
        )));
    }
    let mut end = 0;
    let spot = |&shape: &S| {
        let shape: Shape = shape.into();
        let offset = end;
        end += shape.len();
        Spot::new(start, offset, shape, layout(shape.rows, shape.cols))
    };
    Ok(shapes.iter().map(spot).collect())
}

/// Matrices at offsets of `len` elements from `start` on, with the layouts that `layout` tells of each.
pub(crate) fn strided<T: Pod, S: Copy + Into<Shape>>(
    start: *mut T,
    len: usize,
    shapes: &[S],
    offsets: &[usize],
    layout: impl Fn(usize) -> Layout,
) -> Result<Vec<Spot<T>>> {
    same_number(offsets.len(), shapes.len(), "offsets")?;
    total(shapes.iter().map(|&shape| shape.into()))?;
    let spot = |(b, (&shape, &offset)): (usize, (&S, &usize))| {
        let spot = Spot::new(start, offset, shape.into(), layout(b));
        if spot.shape.is_empty() || spot.span().and_then(|span| span.checked_add(offset)).is_some_and(|end| end <= len)
        {
            return Ok(spot);
        }
        Err(Error::Shape(format!(
            "matrix {b}, {} with strides ({}, {}) from element {offset} on, leads beyond the slice of {len} elements",
            spot.shape, spot.row_stride, spot.col_stride
        )))
    };
    shapes.iter().zip(offsets).enumerate().map(spot).collect()
}

/// One matrix in each slice, which it takes.
pub(super) fn slices<T: Pod, S: Copy + Into<Shape>>(
    slices: impl ExactSizeIterator<Item = (*mut T, usize)>,
    shapes: &[S],
    layout: impl Fn(usize, usize) -> Layout,
) -> Result<Vec<Spot<T>>> {
    same_number(slices.len(), shapes.len(), "slices")?;
    total(shapes.iter().map(|&shape| shape.into()))?;
    let spot = |(b, (&shape, (start, len))): (usize, (&S, (*mut T, usize)))| {
        let shape: Shape = shape.into();
        if shape.len() == len {
            return Ok(Spot::new(start, 0, shape, layout(shape.rows, shape.cols)));
        }
        Err(Error::Shape(format!("matrix {b}, {shape}, is {} elements, but its slice holds {len}", shape.len())))
    };
    shapes.iter().zip(slices).enumerate().map(spot).collect()
}

/// Refuses matrices of sizes that no memory holds a copy of.
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
pub(crate) fn check_total<T: Pod>(spots: &[Spot<T>]) -> Result<()> {
    total(spots.iter().map(|spot| spot.shape)).map(|_| ())
}

fn same_number(number: usize, wanted: usize, what: &str) -> Result<()> {
    if number == wanted {
        return Ok(());
    }
    Err(Error::Shape(format!("there are {wanted} sizes of matrices, but {number} {what}: give one for each")))
}

/// Refuses outputs that lead to an element twice, or whose elements lie between those of another.
pub(crate) fn check_apart<T: Pod>(spots: &[Spot<T>]) -> Result<()> {
    for (b, spot) in spots.iter().enumerate() {
        let told = |e| Error::Shape(format!("matrix {b}: {e}"));
        spot.layout().check_apart(1, spot.shape.rows, spot.shape.cols).map_err(told)?;
    }
    let mut order: Vec<usize> = (0..spots.len()).filter(|&b| !spots[b].shape.is_empty()).collect();
    order.sort_by_key(|&b| spots[b].start.addr());
    match order.windows(2).find(|pair| spots[pair[0]].range().1 > spots[pair[1]].range().0) {
        None => Ok(()),
        Some(pair) => {
            let (one, other) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            Err(Error::Shape(format!(
                "matrices {one} and {other} overlap, or lie between each other's rows or columns: outputs need places \
                 apart from each other"
            )))
        }
    }
}
