//! What the shapes of input files mean.

use std::path::{Path, PathBuf};

use warplu::Element;
use warplu::out_of_core::{Source, SourceBatch};

use crate::dtype::Dtype;
use crate::failure::{Failure, Result};
use crate::matrix::Matrix;
use crate::npy::{NpyFile, source};
use crate::ranks::Part;

/// A file of matrices, not yet read.
#[derive(Debug)]
pub(crate) struct Input {
    npy: NpyFile<Dtype>,
    part: Part,
    /// How many of the matrices are this rank's: all, where there is one.
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

/// The matrices of a file, to be read by ranges.
pub(crate) struct Stored<T> {
    path: PathBuf,
    source: Box<dyn Source<T>>,
    batch: usize,
    rows: usize,
    cols: usize,
    column_major: bool,
}

impl Input {
    /// Square matrices: (n, n) or (batch, n, n).
    pub(crate) fn matrices(path: &Path) -> Result<Self> {
        let npy = NpyFile::<Dtype>::open(path)?;
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
        Ok(Self::new(npy, batch, rows, cols))
    }

    /// Right-hand sides for matrices: (n) or (n, k) where those are (n, n), else (batch, n) or (batch, n, k).
    pub(crate) fn right_hand_sides(path: &Path, a: &Self) -> Result<Self> {
        let npy = NpyFile::<Dtype>::open(path)?;
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
        if (batch, rows) != (a.part.of, a.rows) {
            let wanted = match one {
                true => format!("({0},) or ({0}, k)", a.rows),
                false => format!("({0}, {1}) or ({0}, {1}, k)", a.part.of, a.rows),
            };
            let (own, theirs) = (tuple(&npy.shape), tuple(&a.npy.shape));
            let fault = format!("has shape {own}, but {} has {theirs}: reshape it to {wanted}", a.name());
            return Err(Failure::input(path, fault));
        }
        Ok(Self::new(npy, batch, rows, cols))
    }

    fn new(npy: NpyFile<Dtype>, batch: usize, rows: usize, cols: usize) -> Self {
        let part = Part::own(batch);
        Self { npy, part, batch: part.count, rows, cols }
    }

    pub(crate) fn dtype(&self) -> Dtype {
        self.npy.dtype
    }

    pub(crate) fn path(&self) -> &Path {
        &self.npy.path
    }

    /// Which of the matrices of the file are read.
    pub(crate) fn part(&self) -> Part {
        self.part
    }

    /// The shape of the file.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.npy.shape.clone()
    }

    /// The shape of `axes` for each matrix: with the batch in front, unless the file is one matrix without a batch.
    pub(crate) fn shape_of(&self, axes: &[usize]) -> Vec<usize> {
        let batch = (self.npy.shape.len() == 3).then_some(self.part.of);
        batch.into_iter().chain(axes.iter().copied()).collect()
    }

    /// The shape of right-hand sides without their rows: a number for each of them.
    pub(crate) fn shape_without_rows(&self) -> Vec<usize> {
        let mut shape = self.shape();
        // The rows are the first axis of (n) and (n, k), else the second.
        let is_batch = shape.len() == 3 || shape.len() == 2 && shape[..] == [self.part.of, self.rows] && self.cols == 1;
        shape.remove(usize::from(is_batch));
        shape
    }

    /// Whether the matrices come through a pipe or from a device, and are yet to be waited for.
    pub(crate) fn is_stream(&self) -> bool {
        self.npy.is_stream()
    }

    /// Makes the matrices ready to be read; `T` is the file's type.
    pub(crate) fn open<T: Element>(self) -> Result<Stored<T>> {
        let Self { npy, part, batch, rows, cols } = self;
        let (path, column_major) = (npy.path.clone(), npy.fortran);
        Ok(Stored { path, source: source(npy, part, rows * cols)?, batch, rows, cols, column_major })
    }

    fn name(&self) -> impl std::fmt::Display {
        self.npy.path.display()
    }
}

impl<T: Element> Stored<T> {
    pub(crate) fn batch(&self) -> warplu::Result<SourceBatch<'_, T>> {
        let (source, batch, rows, cols) = (&*self.source, self.batch, self.rows, self.cols);
        match self.column_major {
            true => SourceBatch::column_major(source, batch, rows, cols),
            false => SourceBatch::row_major(source, batch, rows, cols),
        }
    }

    /// Matrix `index`.
    pub(crate) fn matrix(&self, index: usize) -> Result<Matrix<T>> {
        let (rows, cols) = (self.rows, self.cols);
        Matrix::read(&self.path, rows, cols, self.column_major, |to| {
            self.source.read(index * rows * cols, to).map_err(|e| warplu::Error::Io(e).into())
        })
    }
}

/// Fails if standard input is named more than once.
pub(crate) fn expect_one_stdin(inputs: &[&PathBuf]) -> Result<()> {
    if inputs.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(Failure::Usage(
            "- (standard input) is named for two inputs: give one of them as a file".to_owned(),
        ));
    }
    Ok(())
}

/// A shape as Python prints it.
pub(crate) fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}
