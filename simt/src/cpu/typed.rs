//! Values of the host in and out of buffers.

use std::mem::MaybeUninit;
use std::slice;

use super::memory::{Buffer, Memory};
use crate::Pod;

impl Memory {
    /// A buffer that holds a copy of `values`.
    ///
    /// ```
    /// let buffer = simt::cpu::Memory::new().upload(&[1.0, 2.0]);
    /// assert_eq!(buffer.to_vec::<f64>(), [1.0, 2.0]);
    /// ```
    #[must_use]
    pub fn upload<T: Pod>(&self, values: &[T]) -> Buffer {
        // SAFETY: plain values without padding are so many bytes.
        let bytes = unsafe { slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        let buffer = self.allocate(bytes.len());
        buffer.write(0, bytes).expect("the buffer is as long");
        buffer
    }
}

impl Buffer {
    /// Its values, as many as are whole: all bits are set where nobody wrote.
    #[must_use]
    pub fn to_vec<T: Pod>(&self) -> Vec<T> {
        let mut values = vec![MaybeUninit::<T>::zeroed(); self.len().checked_div(size_of::<T>()).unwrap_or(0)];
        // SAFETY: as many bytes, all of which are zero.
        let bytes = unsafe { slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), size_of_val(&values[..])) };
        self.read(0, bytes).expect("the buffer is no shorter");
        // SAFETY: of a plain type, whatever the bits.
        values.into_iter().map(|value| unsafe { value.assume_init() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let memory = Memory::new();
        assert_eq!(memory.upload(&[1_u32, 2, 3]).to_vec::<u32>(), [1, 2, 3]);
        assert_eq!(memory.upload(&[1_u16, 2, 3]).to_vec::<u32>(), [0x0002_0001]);
        assert!(memory.upload::<f64>(&[]).to_vec::<f64>().is_empty());
        assert_eq!(memory.allocate(4).to_vec::<u32>(), [u32::MAX]);
    }

    #[test]
    fn a_buffer_has_the_address_that_it_was_given() {
        let memory = Memory::new();
        let other = memory.allocate(16);
        let at = memory.allocate_at(0x100, 32).unwrap();
        assert!(
            [(0xff, 2), (0x100, 0), (0x11f, 1), (0, 1), (u64::MAX, 2), (other.address(), 1)]
                .iter()
                .all(|&(address, bytes)| memory.allocate_at(address, bytes).is_none())
        );
        let behind = memory.allocate_at(0x120, 8).unwrap();
        drop(at);
        assert!(memory.allocate_at(0x100, 32).is_some());
        assert_eq!((behind.address(), memory.allocated()), (0x120, 24));
    }
}
