//! Comparison bit by bit.

use warplu::{Batch, Device, Element, Layout, Lu, Matrices, Scalar};

use crate::results::{Results, compute};

/// The bits of a number; all NaN are one.
pub fn bits<T: Element>(x: T) -> [u64; 2] {
    let z = x.widen().to_c64();
    [z.re, z.im].map(|part| if part.is_nan() { u64::MAX } else { part.to_bits() })
}

/// Asserts that two slices are the same bit by bit.
#[track_caller]
pub fn assert_same<T: Element>(what: &str, got: &[T], wanted: &[T]) {
    assert_eq!(got.len(), wanted.len(), "{what}: lengths");
    if let Some(i) = got.iter().zip(wanted).position(|(&a, &b)| bits(a) != bits(b)) {
        panic!("{what}: element {i} is {:?}, not {:?}", got[i], wanted[i]);
    }
}

/// Asserts that all results are the same bit by bit.
#[track_caller]
pub fn assert_same_results<T: Element>(what: &str, got: &Results<T>, wanted: &Results<T>) {
    assert_eq!(got.lu.status(), wanted.lu.status(), "{what}: status");
    assert_eq!(pivots(&got.lu), pivots(&wanted.lu), "{what}: pivots");
    assert_same(&format!("{what}: factors"), factors(&got.lu).as_slice(), factors(&wanted.lu).as_slice());
    for (op, (got, wanted)) in got.solutions.iter().zip(&wanted.solutions).enumerate() {
        assert_same(&format!("{what}: solution {op}"), got.x.as_slice(), wanted.x.as_slice());
        assert_eq!(got.status, wanted.status, "{what}: status of solution {op}");
    }
    for (got, wanted) in got.inverses.iter().zip(&wanted.inverses) {
        assert_same(&format!("{what}: inverse"), got.matrices.as_slice(), wanted.matrices.as_slice());
        assert_eq!(got.status, wanted.status, "{what}: status of inverse");
    }
    for (got, wanted) in got.dets.iter().zip(&wanted.dets) {
        assert_same(&format!("{what}: sign"), &got.sign, &wanted.sign);
        let log = |det: &warplu::Determinants<T>| -> Vec<u64> {
            det.log_abs.iter().map(|&x| bits(T::Scalar::from_c64(x.to_c64()))[0]).collect()
        };
        assert_eq!(log(got), log(wanted), "{what}: log of determinant");
    }
}

/// Asserts that matrix `index` alone has the results that it has among the others.
#[track_caller]
pub fn assert_neighbours_do_not_matter<T: Element>(
    what: &str,
    device: &Device,
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    all: &Results<T>,
    index: usize,
) {
    let ((single_a, layout), single_b) = (alone(a, index, factors(&all.lu).layout()), one(b, index));
    let (n, rhs) = (a.rows(), b.cols());
    let alone = compute(
        device,
        &Batch::strided(&single_a, 1, n, n, layout).expect("one matrix"),
        &Batch::row_major(&single_b, 1, n, rhs).expect("its right-hand sides"),
    );
    let what = format!("{what}, matrix {index} alone on {device}");
    assert_eq!(alone.lu.status()[0], all.lu.status()[index], "{what}");
    assert_eq!(pivots(&alone.lu), &pivots(&all.lu)[index * n..][..n], "{what}");
    let same = |name: &str, got: Vec<[u64; 2]>, wanted: Vec<[u64; 2]>| assert!(got == wanted, "{what}: {name}");
    let of = |m: &Matrices<T>, b| one(&m.view(), b).into_iter().map(bits).collect::<Vec<_>>();
    let of_factors = |r: &Results<T>, b| one(&factors(&r.lu).view(), b).into_iter().map(bits).collect::<Vec<_>>();
    same("factors", of_factors(&alone, 0), of_factors(all, index));
    for (got, wanted) in alone.solutions.iter().zip(&all.solutions) {
        same("solution", of(&got.x, 0), of(&wanted.x, index));
    }
    for (got, wanted) in alone.inverses.iter().zip(&all.inverses) {
        same("inverse", of(&got.matrices, 0), of(&wanted.matrices, index));
    }
    for (got, wanted) in alone.dets.iter().zip(&all.dets) {
        same("sign", vec![bits(got.sign[0])], vec![bits(wanted.sign[index])]);
        let (got, wanted) = (got.log_abs[0].to_c64().re, wanted.log_abs[index].to_c64().re);
        assert!(got == wanted || got.is_nan() && wanted.is_nan(), "{what}: log of determinant");
    }
}

/// The elements of matrix `index`, row by row.
pub fn one<T: Element>(a: &Batch<'_, T>, index: usize) -> Vec<T> {
    (0..a.rows()).flat_map(|i| (0..a.cols()).map(move |j| (i, j))).map(|(i, j)| a.get(index, i, j)).collect()
}

/// Matrix `index` alone, row by row or column by column as others lie: the order of factors decides how the CPU solves
/// for few right-hand sides.
pub fn alone<T: Element>(a: &Batch<'_, T>, index: usize, others: Layout) -> (Vec<T>, Layout) {
    let (rows, cols) = (a.rows(), a.cols());
    if others.row_stride >= others.col_stride {
        return (one(a, index), Layout::row_major(rows, cols));
    }
    let by_columns = (0..cols).flat_map(|j| (0..rows).map(move |i| (i, j)));
    (by_columns.map(|(i, j)| a.get(index, i, j)).collect(), Layout::column_major(rows, cols))
}

/// The factors, brought to the host.
#[track_caller]
pub fn factors<T: Element>(lu: &Lu<T>) -> &Matrices<T::Scalar> {
    lu.factors().unwrap_or_else(|e| panic!("{e}"))
}

/// All row interchanges, brought to the host.
#[track_caller]
pub fn pivots<T: Element>(lu: &Lu<T>) -> &[u32] {
    lu.all_pivots().unwrap_or_else(|e| panic!("{e}"))
}
