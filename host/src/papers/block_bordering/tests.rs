//! Bordering by blocks in the emulator: orders around all limits, and matrices that fail.

use super::*;
use crate::papers::Published;
use crate::papers::testing::{
    Bench, LAYOUTS, LIMIT, all_nan, bits, for_all_types, hermitian, inverse_ratio, make_dominant, numbers, real, size,
};
use kernels_gpu::papers::block_bordering::args::upper_tile;
use numbers::element::Arithmetic;

for_all_types!(inverts, indefinite_matrices_are_inverted, failures_stay_alone);

/// Orders around the ends of borders, of tiles, of squares and of slices.
const ORDERS: [(u32, usize); 14] = [
    (32, 1),
    (32, 31),
    (32, 32),
    (32, 33),
    (32, 65),
    (32, 161),
    (64, 127),
    (64, 200),
    (96, 97),
    (96, 290),
    (128, 129),
    (128, 257),
    (192, 225),
    (256, 300),
];

/// The inverses and the statuses of a batch in C order; in place where the layouts are the same.
fn inverted<T: Arithmetic>(a: &[T], n: usize, block: u32, (from, to): (usize, usize), seed: u64) -> (Vec<T>, Vec<i32>) {
    let bench = Bench::new(seed);
    let (size, batch) = (size(n, a.len() / (n * n), 1), a.len() / (n * n));
    let f = bench.factors(a, n, LAYOUTS[from]);
    let other = bench.empty::<T>(batch, n, n, LAYOUTS[to](n, n));
    let mut space = Space::default();
    let blocks = BlockBordering::<T>::new(&bench.backend, block, size.n, &mut space).unwrap();
    let memory = bench.backend.allocate(space.bytes(batch).unwrap()).unwrap();
    let room = space.room(memory.address(), size.batch);
    let inverse = if from == to { &f.lu } else { &other };
    let (both, status) = ((f.lu.matrices::<T>(), inverse.matrices()), f.status.global());
    // SAFETY: the buffers are of this size, and the emulator works at once.
    unsafe { blocks.enqueue(&bench.launcher(), both, status, room, size).unwrap() };
    (inverse.get(), f.status.get())
}

/// Inverts matrices that the upper triangles of `a` stand for, and compares.
fn check<T: Arithmetic>(mut a: Vec<T>, n: usize, block: u32, layouts: (usize, usize), limit: f64) {
    let full = hermitian(&a, n);
    // What is not to be read is NaN.
    for (at, x) in a.iter_mut().enumerate() {
        if at % n < at / n % n {
            *x = T::NAN;
        }
    }
    let (x, status) = inverted(&a, n, block, layouts, n as u64);
    assert!(status.iter().all(|&status| status == 0), "n = {n}, block = {block}: {status:?}");
    assert_eq!(hermitian(&x, n), x, "n = {n}, block = {block}: exactly Hermitian");
    for (full, x) in full.chunks_exact(n * n).zip(x.chunks_exact(n * n)) {
        let ratio = inverse_ratio(full, x, n);
        assert!(ratio < limit, "n = {n}, block = {block}: {ratio}");
    }
}

fn inverts<T: Arithmetic>() {
    for (turn, (block, n)) in ORDERS.into_iter().enumerate() {
        let batch = if n < 100 { 3 } else { 1 };
        let mut a = numbers::<T>(n as u64, batch * n * n);
        make_dominant(&mut a, n);
        check(a, n, block, [(0, 0), (1, 1), (0, 1), (1, 0)][turn % 4], LIMIT / 10.0);
    }
}

/// Without a large diagonal, but with regular leading blocks.
fn indefinite_matrices_are_inverted<T: Arithmetic>() {
    for (block, n) in [(32, 70), (64, 150)] {
        let mut a = numbers::<T>(3, 2 * n * n);
        for matrix in a.chunks_exact_mut(n * n) {
            for i in 0..n {
                matrix[i * n + i] = real(if i % 3 == 0 { -2.0 } else { 2.0 } * (n as f64).sqrt());
            }
        }
        check(a, n, block, (0, 1), LIMIT);
    }
}

fn failures_stay_alone<T: Arithmetic>() {
    let (n, cell) = (70, 4900);
    let mut a = numbers::<T>(1, 6 * cell);
    make_dominant(&mut a, n);
    a[cell] = T::ZERO; // the leading block of order 1, which does not matter
    a[2 * cell + 3 * n + 5] = T::NAN;
    a[3 * cell + 40 * n + 69] = real(f64::INFINITY);
    // The leading block of order 64: its rows 40 and 41 are the same, as are its columns.
    let twins = &mut a[4 * cell..5 * cell];
    twins.fill(T::ZERO);
    (0..n).for_each(|i| twins[i * n + i] = T::ONE);
    twins[40 * n + 41] = T::ONE;
    for layouts in [(0, 0), (1, 0)] {
        let (x, status) = inverted(&a, n, 32, layouts, 5);
        assert_eq!(status, [0, 0, -1, -1, 64, 0]);
        for m in 0..6 {
            let (a, x) = (&a[m * cell..][..cell], &x[m * cell..][..cell]);
            if status[m] != 0 {
                assert!(all_nan(x));
                continue;
            }
            assert!(inverse_ratio(&hermitian(a, n), x, n) < LIMIT);
            assert_eq!(bits(&inverted(a, n, 32, layouts, 6).0), bits(x));
        }
    }
}

/// Enough columns of X that their products are sums of slices.
#[test]
fn slices_are_added_up() {
    assert!(Division::new(420, 128, 384).slices() > 1);
    let mut a = numbers::<f64>(1, 420 * 420);
    make_dominant(&mut a, 420);
    check(a, 420, 128, (1, 1), LIMIT / 10.0);
}

/// As many tiles as the largest order has.
#[test]
fn tiles_are_counted_column_after_column() {
    let mut index = 0;
    for column in 0..MAX_ORDER / 32 {
        for row in 0..=column {
            assert_eq!(upper_tile(index), (row, column));
            index += 1;
        }
    }
    assert_eq!(index, Division::new(MAX_ORDER, 128, 0).copies());
}

#[test]
fn slices_cover_the_leading_block() {
    for step in [(1, 32), (8000, 128), (16384, 256), (MAX_ORDER, 128)].into_iter().flat_map(|(n, b)| steps(n, b)) {
        let Division { k, slice, .. } = step;
        assert!(slice.is_multiple_of(32) && step.slices() * slice >= k, "{step:?}");
        assert!(k == 0 || (step.slices() - 1) * slice < k, "{step:?}: a slice is empty");
    }
}

#[test]
fn blocks_are_chosen_and_refused() {
    let (backend, kind) = (Backend::sim(0), ScalarKind::F32);
    assert_eq!(columns(&backend, kind, 8000, None).unwrap(), DEFAULT_BLOCK);
    assert_eq!(columns(&backend, kind, MAX_ORDER + 1, None).unwrap(), 1);
    assert_eq!(columns(&backend, kind, u32::MAX, Some(1)).unwrap(), 1);
    assert_eq!(columns(&backend, kind, 8000, Some(64)).unwrap(), 64);
    let refused = columns(&backend, kind, MAX_ORDER + 1, Some(64)).unwrap_err().to_string();
    assert!(refused.contains("use bordering:block=1"), "{refused}");
    assert!(!Published::BORDERING.pivots());
}
