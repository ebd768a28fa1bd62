//! Writing `.npy` files, in C order.

use std::io::{self, Write};

use npyz::{DType, WriteOptions, WriterBuilder};
use simt::Pod;
use warplu::{Element, Layout, Matrices};

use super::bytes_of;

/// Writes elements that are in C order.
pub(crate) fn write_array<T: Pod>(out: impl Write, descr: &str, shape: &[usize], data: &[T]) -> io::Result<()> {
    let mut out = write_header(out, descr, shape)?;
    out.write_all(bytes_of(data))?;
    out.flush()
}

/// Writes matrices of any layout, each number through `narrow`.
pub(crate) fn write_matrices<T: Element, S: Element>(
    out: impl Write,
    descr: &str,
    shape: &[usize],
    matrices: &Matrices<S>,
    narrow: impl Fn(S) -> T,
) -> io::Result<()> {
    let Layout { batch_stride, row_stride, col_stride } = matrices.layout();
    let (rows, cols) = (matrices.rows(), matrices.cols());
    // Types of one name are the same type.
    if T::NAME == S::NAME && (row_stride, col_stride) == (cols, 1) {
        return write_array(out, descr, shape, matrices.as_slice());
    }
    let mut out = write_header(out, descr, shape)?;
    let mut matrix = Vec::with_capacity(rows * cols);
    for data in matrices.as_slice().chunks_exact(batch_stride.max(1)) {
        matrix.clear();
        for i in 0..rows {
            matrix.extend((0..cols).map(|j| narrow(data[i * row_stride + j * col_stride])));
        }
        out.write_all(bytes_of(&matrix))?;
    }
    out.flush()
}

fn write_header<W: Write>(out: W, descr: &str, shape: &[usize]) -> io::Result<W> {
    let descr = descr.parse().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, format!("{descr}: {e}")))?;
    let shape: Vec<u64> = shape.iter().map(|&axis| axis as u64).collect();
    WriteOptions::new_header_only().dtype(DType::new_scalar(descr)).shape(&shape).writer(out).write_header_only()
}
