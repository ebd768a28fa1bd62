//! The operations of one launch, in the emulator.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::operation::{GesvArgs, GetrfArgs, InverseArgs};
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::cpu::Memory;

use super::batch::{Batch, array, launch, words};

pub(crate) fn lu<T: Scalar>(
    variant: Variant,
    n: usize,
    a: &[Vec<T>],
    layouts: [usize; 2],
) -> (Vec<Vec<T>>, Vec<u32>, Vec<i32>) {
    let memory = Memory::new();
    let from = Batch::new::<T>(&memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&memory, a.len(), n, n, layouts[1]);
    let to = if layouts[0] == layouts[1] { &from } else { &other };
    let (pivots, status) = (memory.allocate(4 * n * a.len()), memory.allocate(4 * a.len()));
    from.write(a);
    for (first, end) in launches(a.len()) {
        let args = GetrfArgs::<T> {
            a: from.matrices(),
            lu: to.matrices(),
            pivots: array(&pivots),
            status: array(&status),
            first: first as u64,
            end: end as u64,
            n: n as u32,
        };
        launch::<T, _>(&memory, Family::Getrf, variant, problem(n, end - first, 1), args);
    }
    (to.read(), words(&pivots), words(&status).iter().map(|&s| s as i32).collect())
}

pub(crate) fn invert<T: Scalar>(
    variant: Variant,
    n: usize,
    a: &[Vec<T>],
    layouts: [usize; 2],
) -> (Vec<Vec<T>>, Vec<i32>) {
    let memory = Memory::new();
    let from = Batch::new::<T>(&memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&memory, a.len(), n, n, layouts[1]);
    let to = if layouts[0] == layouts[1] { &from } else { &other };
    let status = memory.allocate(4 * a.len());
    from.write(a);
    for (first, end) in launches(a.len()) {
        let args = InverseArgs::<T> {
            a: from.matrices(),
            inverse: to.matrices(),
            status: array(&status),
            first: first as u64,
            end: end as u64,
            n: n as u32,
        };
        launch::<T, _>(&memory, Family::Inverse, variant, problem(n, end - first, 1), args);
    }
    (to.read(), words(&status).iter().map(|&s| s as i32).collect())
}

pub(crate) fn solve<T: Scalar>(
    variant: Variant,
    n: usize,
    a: &[Vec<T>],
    b: &[Vec<T>],
    layouts: [usize; 3],
) -> (Vec<Vec<T>>, Vec<i32>) {
    let rhs = b[0].len() / n;
    let memory = Memory::new();
    let from = Batch::new::<T>(&memory, a.len(), n, n, layouts[0]);
    let sides = Batch::new::<T>(&memory, a.len(), n, rhs, layouts[1]);
    let other = Batch::new::<T>(&memory, a.len(), n, rhs, layouts[2]);
    let to = if layouts[1] == layouts[2] { &sides } else { &other };
    let status = memory.allocate(4 * a.len());
    let work = memory.allocate((a.len() * variant.work_numbers(n as u32) as usize).max(1) * size_of::<T>());
    from.write(a);
    sides.write(b);
    for (first, end) in launches(a.len()) {
        let args = GesvArgs::<T> {
            a: from.matrices(),
            b: sides.matrices(),
            x: to.matrices(),
            status: array(&status),
            work: array(&work),
            first: first as u64,
            end: end as u64,
            n: n as u32,
            rhs: rhs as u32,
        };
        launch::<T, _>(&memory, Family::Gesv, variant, problem(n, end - first, rhs), args);
    }
    (to.read(), words(&status).iter().map(|&s| s as i32).collect())
}

/// The launches for a batch: the first matrix is alone in its, and the last launch begins anywhere.
fn launches(batch: usize) -> impl Iterator<Item = (usize, usize)> {
    let middle = 1.max(batch / 3);
    [(0, 1), (1, middle), (middle, batch)].into_iter().filter(|(first, end)| first < end)
}

pub(crate) fn problem(n: usize, batch: usize, rhs: usize) -> Problem {
    Problem { n: n as u32, batch: batch as u64, rhs: rhs as u32 }
}
