//! Iterative refinement, a matrix after the other on each thread.

mod component_wise;
mod product;

pub(crate) use component_wise::{component_wise, finish};

use numbers::refine::{Correction, OVERFLOW, ROWS, RefineArgs, SINGULAR, Scales, Threshold, is_done, row_groups};
use std::slice;

use numbers::problem::Problem;
use numbers::scalar::{Real, Scalar};
use rayon::prelude::*;
use simt::Pod;
use simt::cpu::threads;
use simt::global::Global;

use self::product::{Place, SubtractProduct};
use super::lanes::Isa;
use super::transfer::{at, start as start_of};
use crate::element::CpuScalar;
use crate::parallel::at_least;

/// Elements of matrices that a thread takes at least.
const LEAST: usize = 1 << 12;

/// Numbers of one right-hand side.
struct Side<T: Scalar> {
    x: Vec<T>,
    sums: Vec<T::Real>,
}

/// Works on each matrix, with room for a right-hand side.
fn for_each<T: Scalar>(size: Problem, one: impl Fn(u64, &mut Side<T>) + Sync + Send) {
    let n = size.n as usize;
    let some = LEAST.div_ceil(n.saturating_mul(n).max(1));
    each(size.batch as usize, some, &|b, side| one(b as u64, side));
}

/// Works on each of so many matrices, of which a thread takes at least `some` one after the other.
fn each<T: Scalar>(batch: usize, some: usize, one: &(dyn Fn(usize, &mut Side<T>) + Sync)) {
    let room = || Side { x: Vec::new(), sums: Vec::new() };
    threads::run(|| {
        let all = (0..batch).into_par_iter().with_min_len(at_least(some, batch));
        all.for_each_init(room, |side, b| one(b, side));
    });
}

/// `len` numbers of an array from `first` on.
///
/// # Safety
/// They are there, and nobody else touches them.
unsafe fn numbers<'a, T: Pod>(array: Global<T>, first: i64, len: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts_mut(at(array, first as usize), len) }
}

/// Matrices in single precision, and the norms of their groups of rows.
///
/// # Safety
/// What is named lies in host memory, for the batch and of its sizes, and nobody else touches it meanwhile; so for the
/// other functions.
pub(crate) unsafe fn to_single<T: CpuScalar, L: CpuScalar + Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    let (n, groups) = (size.n as usize, row_groups(size.n) as usize);
    for_each::<T>(size, |matrix, side| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        unsafe {
            let (a, low) = (Place::of(args.a, matrix), Place::of(args.low, matrix));
            side.sums.clear();
            side.sums.resize(n, T::Real::ZERO);
            a.for_each(n, |i, j, x| {
                let rounded = L::of_wide(x);
                low.at(i, j).write(rounded);
                let size = if rounded.is_finite() { x.abs1() } else { T::Real::from_f64(f64::INFINITY) };
                side.sums[i] = side.sums[i] + size;
            });
            let norms = numbers(args.norm, (matrix as usize * groups) as i64, groups);
            for (norm, sums) in norms.iter_mut().zip(side.sums.chunks(ROWS as usize)) {
                *norm = largest(sums.iter().copied());
            }
        }
    });
}

/// Right-hand sides in single precision, and solutions that are 0.
///
/// # Safety
/// As for [`to_single`].
pub(crate) unsafe fn start<T: CpuScalar, L: CpuScalar + Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    let n = size.n as usize;
    for_each::<T>(size, |matrix, _| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        unsafe {
            let norm = norm_of_matrix(args, matrix);
            let (b, x) = (Place::of(args.b, matrix), Place::of(args.x, matrix));
            for side in 0..args.rhs {
                let b = |i: usize| *b.at(i, side as usize);
                let largest = largest((0..n).map(|i| b(i).abs1()));
                let scales = Scales::new::<L>(largest, norm);
                let corrections = numbers(args.correction, args.row(matrix, side, 0), n);
                for (i, correction) in corrections.iter_mut().enumerate() {
                    *correction = L::of_wide(b(i).scale(scales.down));
                    x.at(i, side as usize).write(T::ZERO);
                }
                let place = args.side(matrix, side) as usize;
                at(args.scale, place).write(scales.up);
                at(args.state, place).write(0);
            }
        }
    });
}

/// Residuals of right-hand sides that are not done, and magnitudes.
///
/// # Safety
/// As for [`to_single`].
pub(crate) unsafe fn residual<T: CpuScalar, L: CpuScalar + Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    let (n, isa) = (size.n as usize, Isa::detect());
    for_each::<T>(size, |matrix, room| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        unsafe {
            let (a, b) = (Place::of(args.a, matrix), Place::of(args.b, matrix));
            let a = if args.transposed == 0 { a } else { a.transposed() };
            for side in 0..args.rhs {
                if args.is_first == 0 && is_done(at(args.state, args.side(matrix, side) as usize).read()) {
                    continue;
                }
                let x_before = Place::of(args.x_before, matrix);
                room.x.clear();
                room.x.extend((0..n).map(|i| corrected(args, x_before, matrix, side, i)));
                let first = args.row(matrix, side, 0);
                let residual = numbers(args.residual, first, n);
                for (i, residual) in residual.iter_mut().enumerate() {
                    *residual = *b.at(i, side as usize);
                }
                let magnitude = numbers(args.magnitude, first, n);
                let product = SubtractProduct { a, conjugated: args.conjugated != 0, x: &room.x, residual };
                for (magnitude, b) in magnitude.iter_mut().zip(&*product.residual) {
                    *magnitude = b.abs1();
                }
                product.add_magnitudes(magnitude);
                isa.run(product);
            }
        }
    });
}

/// Adds corrections and decides on the next, by norms.
///
/// # Safety
/// As for [`to_single`].
pub(crate) unsafe fn norm_wise<T: CpuScalar, L: CpuScalar + Correction<T>>(args: &RefineArgs<T, L>, size: Problem) {
    let (n, threshold) = (size.n as usize, Threshold::new::<T>(size.n));
    for_each::<T>(size, |matrix, _| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        unsafe {
            let norm = norm_of_matrix(args, matrix);
            let has_factors = at(args.status, matrix as usize).read() == 0;
            let mut any_open = false;
            for side in 0..args.rhs {
                let place = args.side(matrix, side) as usize;
                let steps = at(args.state, place).read();
                if is_done(steps) {
                    continue;
                }
                let x_size = add_correction(args, matrix, side);
                let first = args.row(matrix, side, 0);
                let (residual, magnitude) = (numbers(args.residual, first, n), numbers(args.magnitude, first, n));
                let left = largest(residual.iter().map(|r| r.abs1()));
                let errors = residual.iter().zip(&*magnitude).map(|(r, &m)| threshold.row_error(r.abs1(), m));
                let error = largest(errors);
                let state = if !norm.is_finite() {
                    OVERFLOW
                } else if !has_factors {
                    SINGULAR
                } else {
                    let before = if steps > 0 { at(args.error, place).read() } else { Scalar::NAN };
                    threshold.decide((left, x_size, norm), (error, before), (steps, args.most))
                };
                let scales = Scales::new::<L>(left, norm);
                if !is_done(state) {
                    let corrections = numbers(args.correction, first, n);
                    for (correction, r) in corrections.iter_mut().zip(residual) {
                        *correction = L::of_wide(r.scale(scales.down));
                    }
                }
                any_open |= !is_done(state);
                at(args.state, place).write(state);
                at(args.scale, place).write(scales.up);
                at(args.error, place).write(error);
            }
            at(args.is_done, matrix as usize).write(i32::from(!any_open));
        }
    });
}

/// Writes the corrected solution, and returns its largest magnitude.
///
/// # Safety
/// As for [`to_single`].
unsafe fn add_correction<T: CpuScalar, L: CpuScalar + Correction<T>>(
    args: &RefineArgs<T, L>,
    matrix: u64,
    side: u32,
) -> T::Real {
    // SAFETY: the caller's promise.
    unsafe {
        let (x_before, x) = (Place::of(args.x_before, matrix), Place::of(args.x, matrix));
        largest((0..args.n as usize).map(|i| {
            let value = corrected(args, x_before, matrix, side, i);
            x.at(i, side as usize).write(value);
            value.abs1()
        }))
    }
}

/// An element of a solution with its correction.
///
/// # Safety
/// As for [`to_single`].
#[inline(always)]
unsafe fn corrected<T: CpuScalar, L: CpuScalar + Correction<T>>(
    args: &RefineArgs<T, L>,
    x_before: Place<T>,
    matrix: u64,
    side: u32,
    i: usize,
) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        let x = *x_before.at(i, side as usize);
        if args.is_first != 0 {
            return x;
        }
        let correction = at(args.correction, args.row(matrix, side, 0) as usize + i).read().to_wide();
        if args.scale.is_null() {
            return x + correction;
        }
        x + correction.scale(at(args.scale, args.side(matrix, side) as usize).read())
    }
}

/// The infinity-norm of a matrix.
///
/// # Safety
/// As for [`to_single`].
unsafe fn norm_of_matrix<T: CpuScalar, L: CpuScalar + Correction<T>>(args: &RefineArgs<T, L>, matrix: u64) -> T::Real {
    let groups = row_groups(args.n) as usize;
    // SAFETY: the caller's promise.
    largest(unsafe { numbers(args.norm, (matrix as usize * groups) as i64, groups) }.iter().copied())
}

/// The largest number that is not negative, or NaN if one is; 0 of none.
fn largest<R: Real>(numbers: impl Iterator<Item = R>) -> R {
    R::from_f64(numbers.map(Real::to_f64).fold(0.0, |a: f64, b| if a.is_nan() || a > b { a } else { b }))
}
