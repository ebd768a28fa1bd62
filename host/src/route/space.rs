//! The memory that a route works in: arrays of so many numbers a matrix, laid out when the batch is known.

use std::marker::PhantomData;

use simt::Pod;
use simt::global::Global;

use crate::backend::{Memory, Queue};
use crate::element::{bytes_of, bytes_of_mut};
use crate::error::Result;
use crate::layout::product;
use kernels_cpu::fresh::filled;

/// Every array begins at a multiple of this.
const ALIGNMENT: usize = 256;

/// What a route needs beside its inputs and outputs. One that needs nothing is empty.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// Bytes a matrix, of each array.
    arrays: Vec<usize>,
}

/// One of the arrays.
#[derive(Debug)]
pub struct Array<T> {
    index: usize,
    element: PhantomData<T>,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Array<T> {}

/// A space in memory, for a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room<'a> {
    space: &'a Space,
    address: u64,
    batch: u64,
}

impl Space {
    /// One more array, of the product of `sizes` numbers a matrix.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for more than memory could hold.
    pub fn array<T>(&mut self, sizes: &[usize]) -> Result<Array<T>> {
        self.arrays.push(product(&[product(sizes)?, size_of::<T>()])?);
        Ok(Array { index: self.arrays.len() - 1, element: PhantomData })
    }

    /// Bytes a matrix, as good as: arrays of few matrices are rounded up.
    pub(crate) fn each(&self) -> usize {
        self.arrays.iter().sum()
    }

    /// Bytes for `batch` matrices.
    pub(crate) fn bytes(&self, batch: usize) -> Result<usize> {
        product(&[self.each(), batch]).map(|bytes| bytes + ALIGNMENT * self.arrays.len())
    }

    /// The space at `address`, where there are [`Self::bytes`].
    pub(crate) fn room(&self, address: u64, batch: u64) -> Room<'_> {
        Room { space: self, address, batch }
    }
}

impl Room<'_> {
    /// Where an array is.
    pub(crate) fn at<T: Pod>(&self, array: Array<T>) -> Global<T> {
        let before = self.space.arrays[..array.index].iter();
        let offset: u64 = before.map(|&each| (each as u64 * self.batch).next_multiple_of(ALIGNMENT as u64)).sum();
        // SAFETY: within the room, which has the bytes of all arrays.
        unsafe { Global::new(self.address + offset) }
    }
}

/// The memory that a room is in, for routes that look into it and wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoomMemory<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) queue: &'a Queue,
}

impl RoomMemory<'_> {
    /// The first `len` numbers of an array in the room, once all that is enqueued so far is done.
    pub(crate) fn read<T: Pod>(&self, array: Global<T>, zero: T, len: usize) -> Result<Vec<T>> {
        let mut numbers = filled(zero, len)?;
        let bytes = bytes_of_mut(&mut numbers);
        let offset = (array.address() - self.memory.address()) as usize;
        // SAFETY: the queue is waited for, also after an error, while the numbers are borrowed.
        let copied = unsafe { self.queue.download(self.memory, offset, bytes.as_mut_ptr(), bytes.len()) };
        copied.and(self.queue.synchronize()).map(|()| numbers)
    }

    /// Writes an array in the room.
    pub(crate) fn write<T: Pod>(&self, array: Global<T>, numbers: &[T]) -> Result<()> {
        let bytes = bytes_of(numbers);
        let offset = (array.address() - self.memory.address()) as usize;
        // SAFETY: the queue is waited for, also after an error, while the numbers are borrowed.
        let copied = unsafe { self.queue.upload(self.memory, offset, bytes.as_ptr(), bytes.len()) };
        copied.and(self.queue.synchronize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_do_not_overlap() {
        let mut space = Space::default();
        let (a, b) = (space.array::<f64>(&[3, 3]).unwrap(), space.array::<u32>(&[3]).unwrap());
        let c = space.array::<f32>(&[1]).unwrap();
        for batch in [1, 5, 1000] {
            let room = space.room(1 << 20, batch);
            let starts = [room.at(a).address(), room.at(b).address(), room.at(c).address()];
            assert!(starts[0] == 1 << 20 && starts.iter().all(|start| start % 256 == 0));
            assert!(starts[0] + 72 * batch <= starts[1] && starts[1] + 12 * batch <= starts[2]);
            assert!(starts[2] + 4 * batch <= (1 << 20) + space.bytes(batch as usize).unwrap() as u64);
        }
        assert!(space.bytes(usize::MAX / 2).is_err());
    }
}
