//! `.npy` files being written by ranges, in C order.

use std::io;
use std::marker::PhantomData;

use warplu::Element;
use warplu::Pod;
use warplu::out_of_core::Sink;

use crate::failure::{Failure, Result};
use crate::input::tuple;
use crate::matrix::Matrix;
use crate::memory::{bytes_of, bytes_of_mut, zeros};
use crate::output::Output;

/// Bytes of a header before its text: what says that this is one of version 1.0, and its length.
const PREFIX: usize = 10;
/// Data starts at a multiple of this.
const ALIGNMENT: usize = 64;
/// Numbers that are narrowed at a time.
const PIECE: usize = 1 << 14;

/// An array of `T` in an output, of which this rank writes its part.
#[derive(Debug)]
pub(crate) struct NpySink<T> {
    output: Output,
    /// Where the data of the part starts.
    start: u64,
    numbers: PhantomData<fn(T)>,
}

impl<T: Pod> NpySink<T> {
    /// Writes the header, and takes the space for the data. `shape` is that of the whole array.
    pub(crate) fn new(output: Output, descr: &str, shape: &[usize]) -> Result<Self> {
        let head = header(descr, shape);
        let numbers = shape.iter().map(|&axis| axis as u64).product::<u64>();
        let bytes = |numbers| head.len() as u64 + numbers * size_of::<T>() as u64;
        output.begin(&head, bytes(numbers))?;
        let part = output.part();
        let start = bytes(numbers / part.of.max(1) as u64 * part.first as u64);
        Ok(Self { output, start, numbers: PhantomData })
    }

    /// `to.len()` numbers as they were written.
    pub(crate) fn read_back(&self, first: usize, to: &mut [T]) -> Result<()> {
        self.output.read_at(bytes_of_mut(to), self.offset(first))
    }

    /// Matrix `index` as it was written.
    pub(crate) fn matrix(&self, index: usize, rows: usize, cols: usize) -> Result<Matrix<T>> {
        Matrix::read(self.output.name(), rows, cols, false, |to| self.read_back(index * rows * cols, to))
    }

    pub(crate) fn into_output(self) -> Output {
        self.output
    }

    fn offset(&self, first: usize) -> u64 {
        self.start + first as u64 * size_of::<T>() as u64
    }
}

impl<T: Pod> Sink<T> for NpySink<T> {
    fn write(&self, first: usize, from: &[T]) -> io::Result<()> {
        Ok(self.output.write_at(bytes_of(from), self.offset(first))?)
    }
}

/// Takes the numbers that are computed with, and writes those of the file.
#[derive(Debug)]
pub(crate) struct Narrowed<'a, T>(pub(crate) &'a NpySink<T>);

impl<T: Element> Sink<T::Scalar> for Narrowed<'_, T> {
    fn write(&self, first: usize, from: &[T::Scalar]) -> io::Result<()> {
        let Self(sink) = self;
        // Types of one name are the same type.
        if T::NAME == <T::Scalar as Element>::NAME {
            return Ok(sink.output.write_at(bytes_of(from), sink.offset(first))?);
        }
        let len = PIECE.min(from.len());
        let mut narrow = zeros::<T>(len).map_err(|_| Failure::memory(sink.output.name(), len * size_of::<T>()))?;
        for (piece, from) in from.chunks(PIECE).enumerate() {
            let to = &mut narrow[..from.len()];
            to.iter_mut().zip(from).for_each(|(to, &x)| *to = T::narrow(x));
            sink.write(first + piece * PIECE, to)?;
        }
        Ok(())
    }
}

/// Makes the header of an array in C order. For up to three axes it is that of `numpy.save`, byte for byte; with more, NumPy
/// may leave more room.
pub(crate) fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {}, }}", tuple(shape));
    let end = (PREFIX + dict.len() + 1).next_multiple_of(ALIGNMENT);
    let len = u16::try_from(end - PREFIX).expect("no array has thousands of axes");
    let text = format!("{dict:width$}\n", width = end - PREFIX - 1);
    [b"\x93NUMPY\x01\x00", &len.to_le_bytes()[..], text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These are bytes of NumPy 2.4.
    #[test]
    fn headers_are_those_of_numpy() {
        for (descr, shape, dict) in [
            ("<f8", &[][..], "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"),
            ("<f8", &[3], "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"),
            ("<i4", &[0, 5], "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 5), }"),
            ("<c16", &[1234567, 100, 100], "{'descr': '<c16', 'fortran_order': False, 'shape': (1234567, 100, 100), }"),
        ] {
            let wanted = [b"\x93NUMPY\x01\x00v\x00", dict.as_bytes(), &vec![b' '; 117 - dict.len()], b"\n"].concat();
            assert_eq!(header(descr, shape), wanted, "{dict}");
            assert_eq!(wanted.len(), 128);
        }
        // This takes more than 128 bytes.
        let long = header("<f8", &[10; 20]);
        assert_eq!((long.len(), &long[8..10], long[191]), (192, &b"\xb6\x00"[..], b'\n'));
    }
}
