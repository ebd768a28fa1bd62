//! ndarray views as batches.

use std::borrow::Cow;

use ndarray::{ArrayView2, ArrayView3};

use crate::batch::Batch;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;

impl<'a, T: Element> TryFrom<ArrayView3<'a, T>> for Batch<'a, T> {
    type Error = Error;

    /// The batch of shape (batch, rows, columns); copied only where the view is not compact in memory.
    ///
    /// ```
    /// use ndarray::Array3;
    /// use warplu::{Batch, Device};
    /// let a = Array3::from_shape_fn((10, 3, 3), |(b, i, j)| if i == j { b as f64 + 1.0 } else { 0.5 });
    /// let inverse = Device::cpu().invert(&Batch::try_from(a.view())?)?;
    /// assert_eq!(inverse.status.len(), 10);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn try_from(view: ArrayView3<'a, T>) -> Result<Self> {
        let (batch, rows, cols) = view.dim();
        let strides: Option<Vec<usize>> = view.strides().iter().map(|&s| usize::try_from(s).ok()).collect();
        if let (Some(data), Some(strides)) = (view.to_slice_memory_order(), strides) {
            let layout = Layout { batch_stride: strides[0], row_stride: strides[1], col_stride: strides[2] };
            return Batch::strided(data, batch, rows, cols, layout);
        }
        let copy = Batch {
            data: Cow::Owned(view.iter().copied().collect()),
            batch,
            rows,
            cols,
            layout: Layout::c_order(rows, cols),
        };
        Ok(copy)
    }
}

impl<'a, T: Element> TryFrom<ArrayView2<'a, T>> for Batch<'a, T> {
    type Error = Error;

    /// A batch of one matrix.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = ndarray::arr2(&[[2.0, 1.0], [1.0, 1.0]]);
    /// let det = Device::cpu().det(&Batch::try_from(a.view())?)?;
    /// assert_eq!(det.phase, [1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    fn try_from(view: ArrayView2<'a, T>) -> Result<Self> {
        view.insert_axis(ndarray::Axis(0)).try_into()
    }
}
