//! `.npy` files.

mod read;
mod write;

pub(crate) use read::NpyFile;
pub(crate) use write::{write_array, write_matrices};

use simt::Pod;

/// The bytes of plain values.
fn bytes_of<T: Pod>(values: &[T]) -> &[u8] {
    // SAFETY: plain values have no padding and any byte may be read.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of plain values, to be overwritten.
fn bytes_of_mut<T: Pod>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes make plain values.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// `len` zeros, or `None` if there is no memory for them. The pages are touched only when they are filled.
fn zeros<T: Pod>(len: usize) -> Option<Vec<T>> {
    let layout = std::alloc::Layout::array::<T>(len).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout is not empty; it is that of a vector's buffer of `len`, and zero bytes make plain values.
    unsafe {
        let data = std::alloc::alloc_zeroed(layout);
        (!data.is_null()).then(|| Vec::from_raw_parts(data.cast(), len, len))
    }
}
