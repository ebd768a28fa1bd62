//! Batches as kernels' arguments have them.

use numbers::matrix::Matrices;
use simt::Pod;
use simt::global::Global;

use crate::layout::Layout;

/// Matrices from `address` on.
pub(crate) fn matrices_at<T: Pod>(address: u64, layout: Layout) -> Matrices<T> {
    // SAFETY: only an address yet; whoever has a kernel use it promises what is there.
    let (base, pointers) = unsafe { (Global::new(address), Global::new(0)) };
    Matrices {
        base,
        pointers,
        batch_stride: layout.batch_stride as i64,
        row_stride: layout.row_stride as i64,
        col_stride: layout.col_stride as i64,
    }
}

/// The transposed matrices.
pub(crate) fn transposed<T: Pod>(m: Matrices<T>) -> Matrices<T> {
    Matrices { row_stride: m.col_stride, col_stride: m.row_stride, ..m }
}

/// The same matrices, for a type that is its own arithmetic type.
pub(crate) fn cast<A: Pod, B: Pod>(m: Matrices<A>) -> Matrices<B> {
    debug_assert_eq!(size_of::<A>(), size_of::<B>());
    let Matrices { base, pointers, batch_stride, row_stride, col_stride } = m;
    // SAFETY: the same address; the types are the same.
    let base = unsafe { Global::new(base.address()) };
    Matrices { base, pointers, batch_stride, row_stride, col_stride }
}
