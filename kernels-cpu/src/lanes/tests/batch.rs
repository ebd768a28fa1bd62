//! Batches of matrices in memory of any layout, and the operations on whole batches.

use numbers::det_product::DetParts;
use numbers::matrix::Matrices;
use numbers::scalar::Scalar;
use simt::global::Global;

use crate::element::Element;
use crate::lanes::{Isa, Workspace, det, factor, inverse, inverse_factored, solve, solve_factored};
use numbers::op::Op;

/// How matrices lie in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Column-major, compact.
    Columns,
    /// Row-major, compact.
    Rows,
    /// Column-major, with so many elements between columns.
    ColumnGaps(usize),
    /// Row-major, with so many elements between rows.
    RowGaps(usize),
    /// Neither rows nor columns are dense: so many elements between the elements of a column.
    Sparse(usize),
    /// Column-major, backwards in both directions.
    Backwards,
    /// The first columns of all matrices one after the other, then their second ones, and so on.
    Together,
}

pub(super) const PLACES: [Place; 9] = [
    Place::Columns,
    Place::Rows,
    Place::ColumnGaps(1),
    Place::ColumnGaps(5),
    Place::RowGaps(1),
    Place::RowGaps(7),
    Place::Sparse(1),
    Place::Backwards,
    Place::Together,
];

/// Matrices of the same shape; what lies between them is watched.
pub(super) struct Batch<E> {
    data: Vec<E>,
    /// Elements from a matrix to the next.
    step: usize,
    /// Element (0, 0) of the first.
    origin: usize,
    row_stride: isize,
    col_stride: isize,
    rows: usize,
    columns: usize,
    count: usize,
}

impl<E: Element> Batch<E> {
    /// Matrices that are 7 everywhere, as all around them is.
    pub(super) fn new(place: Place, count: usize, rows: usize, columns: usize) -> Self {
        let (r, c) = (rows as isize, columns as isize);
        let (row_stride, col_stride) = match place {
            Place::Columns => (1, r),
            Place::Rows => (c, 1),
            Place::ColumnGaps(gap) => (1, r + gap as isize),
            Place::RowGaps(gap) => (c + gap as isize, 1),
            Place::Sparse(gap) => (gap as isize + 1, r * (gap as isize + 1) + 1),
            Place::Backwards => (-1, -r),
            Place::Together => (1, r * count as isize),
        };
        let extent = (r - 1).max(0) * row_stride.abs() + (c - 1).max(0) * col_stride.abs() + 1;
        let origin = if row_stride < 0 { extent as usize } else { 1 };
        // Odd, so that matrices are not aligned.
        let step = if matches!(place, Place::Together) { rows } else { (extent as usize + 2) | 1 };
        let data = vec![E::narrow(E::Scalar::from_c64(7.0.into())); step * count + extent as usize + 2];
        Self { data, step, origin, row_stride, col_stride, rows, columns, count }
    }

    /// The given matrices, column-major, in a place.
    pub(super) fn of(place: Place, matrices: &[Vec<E::Scalar>], rows: usize, columns: usize) -> Self {
        let mut batch = Self::new(place, matrices.len(), rows, columns);
        for (w, matrix) in matrices.iter().enumerate() {
            for (e, &x) in matrix.iter().enumerate() {
                let at = batch.index(w, e % rows, e / rows);
                batch.data[at] = E::narrow(x);
            }
        }
        batch
    }

    fn index(&self, w: usize, i: usize, j: usize) -> usize {
        let offset = i as isize * self.row_stride + j as isize * self.col_stride;
        (w * self.step + self.origin).strict_add_signed(offset)
    }

    /// The matrices, column-major.
    ///
    /// # Panics
    /// If anything was written outside of them.
    pub(super) fn matrices(&self) -> Vec<Vec<E::Scalar>> {
        let mut inside = vec![false; self.data.len()];
        let matrices = (0..self.count)
            .map(|w| {
                let places = (0..self.rows * self.columns).map(|e| self.index(w, e % self.rows, e / self.rows));
                places
                    .map(|at| {
                        inside[at] = true;
                        self.data[at].widen()
                    })
                    .collect()
            })
            .collect();
        let seven = E::Scalar::from_c64(7.0.into());
        assert!(
            self.data.iter().zip(&inside).all(|(x, inside)| *inside || x.widen() == seven),
            "what is between matrices is left alone"
        );
        matrices
    }

    /// Where the matrices are; batches of odd numbers are given by pointers, which are put into `pointers`.
    pub(super) fn places(&mut self, pointers: &mut Vec<u64>) -> Matrices<E> {
        let first = self.data.as_mut_ptr().wrapping_add(self.origin).expose_provenance() as u64;
        *pointers = (0..self.count).map(|w| first + (w * self.step * size_of::<E>()) as u64).collect();
        let by_pointers = self.count % 2 == 1;
        // SAFETY: there is a pointer for each matrix, or none.
        unsafe {
            Matrices {
                base: Global::new(first),
                pointers: Global::new(if by_pointers { pointers.as_ptr().expose_provenance() as u64 } else { 0 }),
                batch_stride: self.step as i64,
                row_stride: self.row_stride as i64,
                col_stride: self.col_stride as i64,
            }
        }
    }
}

/// Factors `a` into `lu`, or in place.
pub(super) fn factor_batch<E: Element>(
    isa: Isa,
    a: &mut Batch<E>,
    lu: Option<&mut Batch<E::Scalar>>,
) -> (Vec<u32>, Vec<i32>) {
    let (n, count) = (a.rows, a.count);
    let mut workspace = Workspace::new::<E>(isa, n, 0, 1 << 20).unwrap();
    let (mut pivots, mut status) = (vec![u32::MAX; n * count], vec![i32::MAX; count]);
    let [mut of_a, mut of_lu] = [Vec::new(), Vec::new()];
    let a = a.places(&mut of_a);
    let lu = match lu {
        Some(lu) => lu.places(&mut of_lu),
        None => {
            assert!(!E::STORAGE.is_converted());
            let Matrices { base, pointers, batch_stride, row_stride, col_stride } = a;
            // SAFETY: the types are the same.
            let base = unsafe { Global::new(base.address()) };
            Matrices { base, pointers, batch_stride, row_stride, col_stride }
        }
    };
    // SAFETY: the batches hold these matrices.
    unsafe { factor(isa, &mut workspace, a, lu, n, &mut pivots, &mut status) };
    (pivots, status)
}

/// Solves into `x`, or in the place of `b`.
pub(super) fn solve_batch<E: Element>(
    isa: Isa,
    a: &mut Batch<E>,
    b: &mut Batch<E>,
    x: Option<&mut Batch<E>>,
) -> Vec<i32> {
    let (n, count, rhs) = (a.rows, a.count, b.columns);
    let mut workspace = Workspace::new::<E>(isa, n, rhs, 1 << 20).unwrap();
    let mut status = vec![i32::MAX; count];
    let [mut of_a, mut of_b, mut of_x] = [Vec::new(), Vec::new(), Vec::new()];
    let (a, b) = (a.places(&mut of_a), b.places(&mut of_b));
    let x = x.map_or(b, |x| x.places(&mut of_x));
    // SAFETY: the batches hold these matrices.
    unsafe { solve(isa, &mut workspace, a, b, x, n, rhs, &mut status) };
    status
}

/// Solves from factors, of these statuses, into `x`, or in the place of `b`.
pub(super) fn solve_factored_batch<E: Element>(
    isa: Isa,
    lu: &mut Batch<E::Scalar>,
    pivots: &[u32],
    op: Op,
    b: &mut Batch<E>,
    x: Option<&mut Batch<E>>,
    status: &[i32],
) -> Vec<i32> {
    let (n, rhs) = (lu.rows, b.columns);
    let mut workspace = Workspace::new::<E>(isa, n, rhs, 1 << 20).unwrap();
    let mut status = status.to_vec();
    let [mut of_lu, mut of_b, mut of_x] = [Vec::new(), Vec::new(), Vec::new()];
    let (lu, b) = (lu.places(&mut of_lu), b.places(&mut of_b));
    let x = x.map_or(b, |x| x.places(&mut of_x));
    // SAFETY: the batches hold these matrices.
    unsafe { solve_factored(isa, &mut workspace, lu, pivots, op.into(), b, x, n, rhs, &mut status) };
    status
}

/// Inverts from factors, of these statuses.
pub(super) fn inverse_factored_batch<E: Element>(
    isa: Isa,
    lu: &mut Batch<E::Scalar>,
    pivots: &[u32],
    out: &mut Batch<E>,
    status: &[i32],
) -> Vec<i32> {
    let n = lu.rows;
    let mut workspace = Workspace::new::<E>(isa, n, 0, 1 << 20).unwrap();
    let mut status = status.to_vec();
    let [mut of_lu, mut of_out] = [Vec::new(), Vec::new()];
    let (lu, out) = (lu.places(&mut of_lu), out.places(&mut of_out));
    // SAFETY: the batches hold these matrices.
    unsafe { inverse_factored(isa, &mut workspace, lu, pivots, out, n, &mut status) };
    status
}

/// Inverts into `out`, or in place.
pub(super) fn inverse_batch<E: Element>(isa: Isa, a: &mut Batch<E>, out: Option<&mut Batch<E>>) -> Vec<i32> {
    let (n, count) = (a.rows, a.count);
    let mut workspace = Workspace::new::<E>(isa, n, 0, 1 << 20).unwrap();
    let mut status = vec![i32::MAX; count];
    let [mut of_a, mut of_out] = [Vec::new(), Vec::new()];
    let a = a.places(&mut of_a);
    let out = out.map_or(a, |out| out.places(&mut of_out));
    // SAFETY: the batches hold these matrices.
    unsafe { inverse(isa, &mut workspace, a, out, n, &mut status) };
    status
}

/// Determinants as they come out, and their statuses.
pub(super) struct Determinants<S: Scalar> {
    pub(super) values: Vec<S>,
    pub(super) phase: Vec<S>,
    pub(super) log_abs: Vec<S::Real>,
    pub(super) status: Vec<i32>,
}

impl<S: Scalar> Determinants<S> {
    /// What no determinant is.
    pub(super) fn new(count: usize) -> Self {
        let seven = S::from_c64(7.0.into());
        Self {
            values: vec![seven; count],
            phase: vec![seven; count],
            log_abs: vec![Scalar::ONE; count],
            status: vec![i32::MAX; count],
        }
    }

    pub(super) fn parts(&mut self) -> DetParts<S, S::Real> {
        // SAFETY: they lead to the vectors, for as long as these live.
        unsafe {
            DetParts {
                value: Global::new(self.values.as_mut_ptr().expose_provenance() as u64),
                phase: Global::new(self.phase.as_mut_ptr().expose_provenance() as u64),
                log_abs: Global::new(self.log_abs.as_mut_ptr().expose_provenance() as u64),
            }
        }
    }
}

pub(super) fn det_batch<E: Element>(isa: Isa, a: &mut Batch<E>) -> Determinants<E::Scalar> {
    let (n, count) = (a.rows, a.count);
    let mut workspace = Workspace::new::<E>(isa, n, 0, 1 << 20).unwrap();
    let mut out = Determinants::new(count);
    let (parts, mut of_a) = (out.parts(), Vec::new());
    // SAFETY: the batch holds these matrices.
    unsafe { det(isa, &mut workspace, a.places(&mut of_a), n, parts, &mut out.status) };
    out
}
