//! What is measured, and how.

use std::fmt;

use warplu::resident::{DeviceBatch, DeviceBatchMut, DeviceSlice, DeviceSliceMut};
use warplu::{Algorithm, Batch, BatchMut, Element, Layout, Pivoting};

use crate::dtype::Dtype;

/// An operation on each matrix of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Op {
    /// A to its factors, in their place
    Lu,
    /// A to its inverse
    Inv,
    /// Factors to the inverse
    LuInv,
    /// A and B to X
    Solve,
    /// A and B to X by factors in single precision, for f64 and c64
    SolveRefined,
    /// Factors and B to X
    LuSolve,
    /// A to its determinant
    Det,
    /// A, positive definite, to its Cholesky factor, in its place
    Chol,
    /// Cholesky factors to the inverse
    CholInv,
    /// Cholesky factors and B to X
    CholSolve,
    /// A to a copy: the least time that reading and writing takes
    Copy,
}

/// How matrices lie in memory, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Order {
    ColumnMajor,
    C,
}

/// A serial program of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// Gaussian elimination without pivoting.
    Elimination,
    /// LU with partial pivoting, and the solution from it.
    Lu,
    /// Inversion by bordering.
    Bordering,
}

/// How warplu does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) algorithm: Algorithm,
    pub(crate) pivoting: Pivoting,
}

/// What is measured: an operation on a batch, in each of warplu's ways and by each peer.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) op: Op,
    pub(crate) ways: Vec<Way>,
    pub(crate) dtype: Dtype,
    pub(crate) n: usize,
    pub(crate) batch: usize,
    /// Right-hand sides; 0 where the operation has none.
    pub(crate) rhs: usize,
    pub(crate) layout: Order,
    /// A serial program to measure beside it, on one matrix.
    pub(crate) serial: Option<Program>,
    /// Whether the matrices are to be Hermitian and positive definite, whatever the ways want.
    pub(crate) definite: bool,
}

/// How it is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Timed runs.
    pub(crate) reps: usize,
    /// Runs before them.
    pub(crate) warmup: usize,
    /// Whether the calls on host memory are measured, too.
    pub(crate) host: bool,
}

impl Op {
    /// Its name in tables and files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lu => "lu",
            Self::Inv => "inv",
            Self::LuInv => "lu-inv",
            Self::Solve => "solve",
            Self::SolveRefined => "solve-refined",
            Self::LuSolve => "lu-solve",
            Self::Det => "det",
            Self::Chol => "chol",
            Self::CholInv => "chol-inv",
            Self::CholSolve => "chol-solve",
            Self::Copy => "copy",
        }
    }

    pub(crate) fn has_right_hand_sides(self) -> bool {
        matches!(self, Self::Solve | Self::SolveRefined | Self::LuSolve | Self::CholSolve)
    }

    /// Whether it starts from factors.
    pub(crate) fn is_from_factors(self) -> bool {
        matches!(self, Self::LuInv | Self::LuSolve | Self::CholInv | Self::CholSolve)
    }

    /// Whether it is about Cholesky factors.
    pub(crate) fn is_cholesky(self) -> bool {
        matches!(self, Self::Chol | Self::CholInv | Self::CholSolve)
    }
}

impl Way {
    /// Whether rows are interchanged for the sake of accuracy.
    pub(crate) fn pivots(self) -> bool {
        self.algorithm.pivots() && self.pivoting == Pivoting::Partial
    }
}

impl From<Algorithm> for Way {
    fn from(algorithm: Algorithm) -> Self {
        Self { algorithm, pivoting: Pivoting::Partial }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.algorithm.fmt(f)?;
        if self.pivoting == Pivoting::Partial { Ok(()) } else { write!(f, ", pivoting {}", self.pivoting) }
    }
}

impl Order {
    /// Its name in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ColumnMajor => "column-major",
            Self::C => "c",
        }
    }

    /// The strides of a matrix.
    pub(crate) fn strides(self, rows: usize, cols: usize) -> Layout {
        match self {
            Self::ColumnMajor => Layout::column_major(rows, cols),
            Self::C => Layout::row_major(rows, cols),
        }
    }

    pub(crate) fn host<T: Element>(
        self,
        data: &[T],
        batch: usize,
        size: (usize, usize),
    ) -> warplu::Result<Batch<'_, T>> {
        match self {
            Self::ColumnMajor => Batch::column_major(data, batch, size.0, size.1),
            Self::C => Batch::row_major(data, batch, size.0, size.1),
        }
    }

    pub(crate) fn device<'a, T: Element>(
        self,
        buffer: impl Into<DeviceSlice<'a, T>>,
        batch: usize,
        size: (usize, usize),
    ) -> warplu::Result<DeviceBatch<'a, T>> {
        match self {
            Self::ColumnMajor => DeviceBatch::column_major(buffer, batch, size.0, size.1),
            Self::C => DeviceBatch::row_major(buffer, batch, size.0, size.1),
        }
    }

    pub(crate) fn host_mut<T: Element>(
        self,
        data: &mut [T],
        batch: usize,
        size: (usize, usize),
    ) -> warplu::Result<BatchMut<'_, T>> {
        match self {
            Self::ColumnMajor => BatchMut::column_major(data, batch, size.0, size.1),
            Self::C => BatchMut::row_major(data, batch, size.0, size.1),
        }
    }

    pub(crate) fn device_mut<'a, T: Element>(
        self,
        buffer: impl Into<DeviceSliceMut<'a, T>>,
        batch: usize,
        size: (usize, usize),
    ) -> warplu::Result<DeviceBatchMut<'a, T>> {
        match self {
            Self::ColumnMajor => DeviceBatchMut::column_major(buffer, batch, size.0, size.1),
            Self::C => DeviceBatchMut::row_major(buffer, batch, size.0, size.1),
        }
    }
}

impl Program {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elimination => "elimination without pivoting",
            Self::Lu => "LU",
            Self::Bordering => "bordering",
        }
    }
}

impl Case {
    /// Real floating-point operations, as LAPACK counts them, to leading order.
    pub(crate) fn flops(&self) -> f64 {
        let (n, rhs) = (self.n as f64, self.rhs as f64);
        let each = match self.op {
            Op::Lu | Op::Det => 2.0 / 3.0 * n.powi(3),
            Op::Inv => 2.0 * n.powi(3),
            Op::LuInv => 4.0 / 3.0 * n.powi(3),
            Op::Solve | Op::SolveRefined => 2.0 / 3.0 * n.powi(3) + 2.0 * n * n * rhs,
            Op::LuSolve | Op::CholSolve => 2.0 * n * n * rhs,
            Op::Chol => n.powi(3) / 3.0,
            Op::CholInv => 2.0 / 3.0 * n.powi(3),
            Op::Copy => 0.0,
        };
        let complex = matches!(self.dtype, Dtype::C32 | Dtype::C64);
        self.batch as f64 * each * if complex { 4.0 } else { 1.0 }
    }

    /// Whether the operation or a way wants Hermitian, positive definite matrices: one that reads half of each,
    /// or does not pivot.
    pub(crate) fn is_definite(&self) -> bool {
        self.definite || self.op.is_cholesky() || self.ways.iter().any(|way| !way.pivots())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, dtype, n, batch, rhs, .. } = self;
        write!(f, "{} of {batch} matrices of {n} x {n} ({})", op.name(), dtype.name())?;
        if *rhs > 0 { write!(f, " with {rhs} right-hand sides each") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flops_are_lapacks() {
        let case = |op, dtype| {
            let (ways, layout) = (vec![Algorithm::Auto.into()], Order::ColumnMajor);
            Case { op, ways, dtype, n: 3, batch: 10, rhs: 2, layout, serial: None, definite: false }.flops()
        };
        assert!((case(Op::Inv, Dtype::F32) - 540.0).abs() < 1e-9);
        assert!((case(Op::Solve, Dtype::C64) - 4.0 * 540.0).abs() < 1e-9);
        assert!((case(Op::LuInv, Dtype::F64) + case(Op::Lu, Dtype::F64) - case(Op::Inv, Dtype::F64)).abs() < 1e-9);
        assert!((case(Op::CholInv, Dtype::F64) - 2.0 * case(Op::Chol, Dtype::F64)).abs() < 1e-9);
        assert_eq!(case(Op::Copy, Dtype::F64), 0.0);
    }
}
