//! Memory of an output before it is written.

use simt::Pod;

use crate::error::{NoMemory, Result};

/// From so many bytes on, the system is asked for large pages.
const LARGE: usize = 4 << 20;

/// Room for `len` elements, none of them written: whoever fills it touches its pages first.
#[derive(Debug)]
pub struct Fresh<T> {
    data: Vec<T>, // empty, with room for `len`
    len: usize,
}

impl<T: Pod> Fresh<T> {
    /// Room for so many.
    ///
    /// # Errors
    /// There is too little memory.
    pub fn new(len: usize) -> Result<Self> {
        let mut data: Vec<T> = Vec::new();
        let bytes = len.saturating_mul(size_of::<T>());
        data.try_reserve_exact(len).map_err(|_| NoMemory { bytes })?;
        if bytes >= LARGE {
            advise_large_pages(data.as_mut_ptr().cast(), bytes);
        }
        Ok(Self { data, len })
    }

    /// How many there is room for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether that is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where they begin.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.data.as_mut_ptr()
    }

    /// The elements.
    ///
    /// # Safety
    /// All of them have been written.
    pub unsafe fn written(mut self) -> Vec<T> {
        // SAFETY: there is room for so many, and the caller has written them.
        unsafe { self.data.set_len(self.len) };
        self.data
    }
}

/// `len` copies of a value.
///
/// # Errors
/// There is no memory for them.
pub fn filled<T: Clone>(value: T, len: usize) -> Result<Vec<T>> {
    let mut data = Vec::new();
    data.try_reserve_exact(len).map_err(|_| NoMemory { bytes: len.saturating_mul(size_of::<T>()) })?;
    data.resize(len, value);
    Ok(data)
}

/// Asks for pages of 2 MiB, of which a fault brings in 512 times as much as of ordinary ones. Where the system has none
/// it says so, and all is as before.
#[cfg(target_os = "linux")]
fn advise_large_pages(start: *mut u8, bytes: usize) {
    const PAGE: usize = 2 << 20;
    let skip = start.addr().next_multiple_of(PAGE) - start.addr();
    let whole = bytes.saturating_sub(skip) / PAGE * PAGE;
    if whole > 0 {
        // SAFETY: whole pages within an allocation; the advice changes nothing of their contents.
        unsafe { libc::madvise(start.wrapping_add(skip).cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages(_start: *mut u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error() {
        assert!(matches!(Fresh::<f64>::new(1 << 58), Err(NoMemory { .. })));
        assert!(matches!(filled(0_u8, isize::MAX as usize), Err(NoMemory { .. })));
    }

    #[test]
    fn room_is_filled_and_handed_over() {
        let len = (LARGE + 12345) / 4;
        let mut fresh = Fresh::<u32>::new(len).unwrap();
        for i in 0..len {
            // SAFETY: within the room.
            unsafe { fresh.as_mut_ptr().add(i).write(i as u32) };
        }
        // SAFETY: just written.
        let data = unsafe { fresh.written() };
        assert!(data.len() == len && data.iter().enumerate().all(|(i, &x)| x == i as u32));
    }
}
