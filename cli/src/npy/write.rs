//! `.npy` files being written by ranges, in C order.

use std::io;
use std::marker::PhantomData;

use npyz::{DType, WriteOptions, WriterBuilder};
use warplu::Element;
use warplu::Pod;
use warplu::out_of_core::Sink;

use crate::failure::{Failure, Result};
use crate::matrix::Matrix;
use crate::memory::{bytes_of, bytes_of_mut, zeros};
use crate::output::Output;

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
        let mut head = Vec::new();
        header(&mut head, descr, shape).map_err(|e| output.failure(e))?;
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

/// The header of an array in C order.
pub(crate) fn header(out: &mut Vec<u8>, descr: &str, shape: &[usize]) -> io::Result<()> {
    let descr = descr.parse().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, format!("{descr}: {e}")))?;
    let shape: Vec<u64> = shape.iter().map(|&axis| axis as u64).collect();
    WriteOptions::new_header_only().dtype(DType::new_scalar(descr)).shape(&shape).writer(out).write_header_only()?;
    Ok(())
}
