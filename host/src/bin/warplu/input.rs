//! What the shapes of input files mean.

use std::path::Path;

use npyz::Order;
use warplu::{Batch, Element, Layout};

use crate::dtype::Dtype;
use crate::failure::{Failure, Result};
use crate::npy::NpyFile;

/// A file of matrices, not yet read.
#[derive(Debug)]
pub(crate) struct Input {
    npy: NpyFile,
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

/// The matrices of a file.
#[derive(Debug)]
pub(crate) struct Loaded<T> {
    data: Vec<T>,
    batch: usize,
    rows: usize,
    cols: usize,
    layout: Layout,
}

impl Input {
    /// Square matrices: (n, n) or (batch, n, n).
    pub(crate) fn matrices(path: &Path) -> Result<Self> {
        let npy = NpyFile::open(path)?;
        let (batch, rows, cols) = match npy.shape[..] {
            [rows, cols] => (1, rows, cols),
            [batch, rows, cols] => (batch, rows, cols),
            _ => {
                let fault = format!("has shape {}: matrices are (n, n) or (batch, n, n)", tuple(&npy.shape));
                return Err(Failure::input(path, fault + "; reshape it"));
            }
        };
        if rows != cols {
            let fault = format!("has shape {}: the matrices must be square, not {rows} x {cols}", tuple(&npy.shape));
            return Err(Failure::input(path, fault + "; reshape or cut them"));
        }
        Ok(Self { npy, batch, rows, cols })
    }

    /// Right-hand sides for matrices: (n) or (n, k) where those are (n, n), else (batch, n) or (batch, n, k).
    pub(crate) fn right_hand_sides(path: &Path, a: &Self) -> Result<Self> {
        let npy = NpyFile::open(path)?;
        if npy.dtype != a.dtype() {
            let (own, wanted) = (npy.dtype.numpy_name(), a.dtype().numpy_name());
            let fault = format!("holds {own}, but {} holds {wanted}: convert one, e.g. b.astype('{wanted}')", a.name());
            return Err(Failure::input(path, fault));
        }
        let one = a.npy.shape.len() == 2;
        let (batch, rows, cols) = match npy.shape[..] {
            [n] if one => (1, n, 1),
            [n, k] if one => (1, n, k),
            [batch, n] if !one => (batch, n, 1),
            [batch, n, k] if !one => (batch, n, k),
            _ => (0, usize::MAX, 0),
        };
        if (batch, rows) != (a.batch, a.rows) {
            let wanted = match one {
                true => format!("({0},) or ({0}, k)", a.rows),
                false => format!("({0}, {1}) or ({0}, {1}, k)", a.batch, a.rows),
            };
            let (own, theirs) = (tuple(&npy.shape), tuple(&a.npy.shape));
            let fault = format!("has shape {own}, but {} has {theirs}: reshape it to {wanted}", a.name());
            return Err(Failure::input(path, fault));
        }
        Ok(Self { npy, batch, rows, cols })
    }

    pub(crate) fn dtype(&self) -> Dtype {
        self.npy.dtype
    }

    pub(crate) fn path(&self) -> &Path {
        &self.npy.path
    }

    /// The shape of the file.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.npy.shape.clone()
    }

    /// The shape of `axes` for each matrix: with the batch in front, unless the file is one matrix without a batch.
    pub(crate) fn shape_of(&self, axes: &[usize]) -> Vec<usize> {
        let batch = (self.npy.shape.len() == 3).then_some(self.batch);
        batch.into_iter().chain(axes.iter().copied()).collect()
    }

    pub(crate) fn load<T: Element>(mut self) -> Result<Loaded<T>> {
        let (batch, rows, cols) = (self.batch, self.rows, self.cols);
        let layout = match self.npy.order {
            Order::C => Layout::c_order(rows, cols),
            Order::Fortran if batch == 1 => Layout::column_major(rows, cols),
            Order::Fortran => Layout { batch_stride: 1, row_stride: batch, col_stride: batch * rows },
        };
        Ok(Loaded { data: self.npy.read()?, batch, rows, cols, layout })
    }

    fn name(&self) -> impl std::fmt::Display {
        self.npy.path.display()
    }
}

impl<T: Element> Loaded<T> {
    pub(crate) fn view(&self) -> warplu::Result<Batch<'_, T>> {
        Batch::strided(&self.data, self.batch, self.rows, self.cols, self.layout)
    }
}

/// A shape as Python prints it.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}
