//! The operations of the host, in the emulator.

use kernels_gpu::collective::mma::Mma;
use kernels_gpu::entry::Variant;
use kernels_gpu::operation::getrs::cluster_per_rhs::MAX_RHS;
use kernels_gpu::schedule::multi_block::args::{
    CONJUGATED, NAN_WHERE_FAILED, ROWS_BY_PIVOT, UNIT_DIAGONAL, UNIT_MATRIX,
};
use kernels_gpu::schedule::multi_block::slab::division::Slabs;
use kernels_gpu::schedule::multi_block::steps::{FACTORS, INVERSES, Kernel, SOLUTIONS, TRANSPOSED_SOLUTIONS, copy};
use numbers::matrix::Matrices;
use numbers::scalar::Scalar;

use crate::common::batch::{Batch, LAYOUTS};
use crate::work::{Factors, How, NO_CLUSTERS, Work};

/// PA = LU.
pub(crate) fn lu<T: Mma, const NB: usize, const ROWS: usize>(
    n: usize,
    how: How,
    a: &[Vec<T>],
    layouts: [usize; 2],
) -> Factors<T> {
    let work = Work::<T, NB, ROWS>::new(n, 0, a.len(), how);
    let from = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[1]);
    let from_to = (&from, if layouts[0] == layouts[1] { &from } else { &other });
    work.factor(a, from_to)
}

/// The same by slabs of so many columns at most, and clusters of so many blocks at least.
pub(crate) fn lu_by_slabs<T: Mma, const NB: usize>(
    n: usize,
    (blocks, columns): (u32, u32),
    a: &[Vec<T>],
) -> Factors<T> {
    let mut work = Work::<T, NB, 1>::new(n, 0, a.len(), (1, 64));
    work.division.slabs = Slabs { kind: T::KIND, lane_rows: [1, 2, 0], shared_bytes: 232_448, columns, blocks };
    let matrices = Batch::new::<T>(&work.memory, a.len(), n, n, n % LAYOUTS);
    work.factor(a, (&matrices, &matrices))
}

/// op(A).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    None,
    Transpose,
    Adjoint,
}

impl Op {
    pub(crate) fn of<T: Scalar>(self, a: &[T], n: usize) -> Vec<T> {
        let element = |e: usize| match self {
            Self::None => a[e],
            Self::Transpose => a[e % n * n + e / n],
            Self::Adjoint => a[e % n * n + e / n].conj(),
        };
        (0..n * n).map(element).collect()
    }
}

/// A X = B with the right-hand sides beside the matrix; or op(A) X = B from factors, where there are any.
pub(crate) fn solve<T: Mma, const NB: usize, const ROWS: usize>(
    (n, rhs, how): (usize, usize, How),
    a: &[Vec<T>],
    b: &[Vec<T>],
    factors: Option<(&Factors<T>, Op)>,
) -> (Vec<Vec<T>>, Vec<i32>) {
    let work = Work::<T, NB, ROWS>::new(n, rhs, a.len(), how);
    let sides = Batch::new::<T>(&work.memory, a.len(), n, rhs, n % LAYOUTS);
    sides.write(b);
    let (n32, rhs32, first) = (n as u32, rhs as u32, work.division.first_rhs());
    let end = work.args.work_columns;
    let matrices = Batch::new::<T>(&work.memory, a.len(), n, n, (n + 1) % LAYOUTS);
    let (mut pack_b, mut unpack) = (0, SOLUTIONS);
    match factors {
        None => {
            matrices.write(a);
            work.step(Kernel::Pack, copy(0, n32, 0), Some(matrices.matrices()));
            work.step(Kernel::Pack, copy(first, rhs32, 0), Some(sides.matrices()));
            work.steps(&work.division.factor(end));
            if rhs32 <= MAX_RHS && work.blocks != NO_CLUSTERS {
                work.solve_upper(first, rhs32);
            } else {
                work.steps(&work.division.solve_upper(first, end, 0));
            }
        }
        Some(((lu, pivots, status), ref op)) => {
            let bytes: Vec<u8> = pivots.iter().flat_map(|p| p.to_le_bytes()).collect();
            work.pivots.write(0, &bytes).unwrap();
            let bytes: Vec<u8> = status.iter().flat_map(|s| s.to_le_bytes()).collect();
            work.status.write(0, &bytes).unwrap();
            matrices.write(lu);
            let (mut from, mut flags) = (matrices.matrices(), ROWS_BY_PIVOT);
            let (mut lower, mut upper) = (UNIT_DIAGONAL, 0);
            if *op != Op::None {
                from = Matrices { row_stride: from.col_stride, col_stride: from.row_stride, ..from };
                (lower, upper, pack_b, unpack) = (0, UNIT_DIAGONAL, ROWS_BY_PIVOT, TRANSPOSED_SOLUTIONS);
                flags |= if *op == Op::Adjoint { CONJUGATED } else { 0 };
            }
            work.by_block(Variant::PivotRows, copy(0, 0, 0));
            work.step(Kernel::Pack, copy(0, n32, flags), Some(from));
            work.step(Kernel::Pack, copy(first, rhs32, pack_b), Some(sides.matrices()));
            work.steps(&work.division.solve_lower(first, end, lower));
            work.steps(&work.division.solve_upper(first, end, upper));
        }
    }
    work.by_block(Variant::Status, copy(first, rhs32, unpack));
    work.step(Kernel::Unpack, copy(first, rhs32, unpack), Some(sides.matrices()));
    (sides.read(), work.statuses())
}

/// A^-1, by its factors: column by column in the workspace, or row by row with their transposes.
pub(crate) fn inverse<T: Mma, const NB: usize, const ROWS: usize>(
    (n, how): (usize, How),
    a: &[Vec<T>],
    by_rows: bool,
) -> (Vec<Vec<T>>, Vec<i32>) {
    let work = Work::<T, NB, ROWS>::new(n, n, a.len(), how);
    let batch = Batch::new::<T>(&work.memory, a.len(), n, n, n % LAYOUTS);
    batch.write(a);
    let (first, n32, end) = (work.division.first_rhs(), n as u32, work.args.work_columns);
    let matrices = batch.matrices();
    let transposed = Matrices { row_stride: matrices.col_stride, col_stride: matrices.row_stride, ..matrices };
    let (mut lower, mut upper, mut result) = (UNIT_DIAGONAL, 0, (INVERSES, matrices));
    work.step(Kernel::Pack, copy(0, n32, 0), Some(matrices));
    work.steps(&work.division.factor(first));
    if by_rows {
        work.step(Kernel::Unpack, copy(0, n32, FACTORS), Some(matrices));
        work.step(Kernel::Pack, copy(0, n32, ROWS_BY_PIVOT), Some(transposed));
        (lower, upper, result) = (0, UNIT_DIAGONAL, (NAN_WHERE_FAILED, transposed));
    }
    work.step(Kernel::Pack, copy(first, n32, ROWS_BY_PIVOT | UNIT_MATRIX), Some(matrices));
    work.steps(&work.division.solve_lower(first, end, lower | UNIT_MATRIX));
    work.steps(&work.division.solve_upper(first, end, upper));
    work.by_block(Variant::Status, copy(first, n32, result.0));
    work.step(Kernel::Unpack, copy(first, n32, result.0), Some(result.1));
    (batch.read(), work.statuses())
}
