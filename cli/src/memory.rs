//! Memory that may be refused, and plain values as bytes.

use std::io::{self, ErrorKind};

use warplu::Pod;

/// `len` zeros. The pages are touched only when they are filled.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`].
pub(crate) fn zeros<T: Pod>(len: usize) -> io::Result<Vec<T>> {
    let refused = || io::Error::from(ErrorKind::OutOfMemory);
    let layout = std::alloc::Layout::array::<T>(len).map_err(|_| refused())?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout is not empty; it is that of a vector's buffer of `len`, and zero bytes make plain values.
    unsafe {
        let data = std::alloc::alloc_zeroed(layout);
        if data.is_null() { Err(refused()) } else { Ok(Vec::from_raw_parts(data.cast(), len, len)) }
    }
}

/// The bytes of plain values.
pub(crate) fn bytes_of<T: Pod>(values: &[T]) -> &[u8] {
    // SAFETY: plain values have no padding and any byte may be read.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of plain values, to be overwritten.
pub(crate) fn bytes_of_mut<T: Pod>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes make plain values.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}
