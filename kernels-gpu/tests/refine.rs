//! The kernels of iterative refinement, in the emulator: residuals of every layout around the sizes of their units, and
//! decisions.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::{Batch, LAYOUTS, array, launch, words};
use common::cases::Random;
use common::factored::OPS;
use kernels_gpu::entry::{Family, Variant};
use numbers::problem::Problem;
use numbers::refine::{Correction, OVERFLOW, RefineArgs, SINGULAR, STALLED, Threshold, done_after, row_groups};
use numbers::scalar::{Real, Scalar, c32, c64};
use simt::Pod;
use simt::cpu::{Buffer, Memory};
use simt::global::Global;

/// Orders around a tile, the rows of a warp, and what a warp does alone.
const ORDERS: [usize; 12] = [1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 97, 130];

/// Matrices, right-hand sides and solutions, and what kernels leave.
struct Machine<T: Scalar, L: Scalar> {
    memory: Memory,
    a: Batch,
    b: Batch,
    x: Batch,
    low: Batch,
    arrays: [Buffer; 9],
    _statuses: Buffer,
    args: RefineArgs<T, L>,
    problem: Problem,
}

fn absent<T: Pod>() -> Global<T> {
    // SAFETY: absent.
    unsafe { Global::new(0) }
}

fn numbers<T: Scalar>(count: usize, each: usize, seed: u64) -> Vec<Vec<T>> {
    let mut random = Random(seed);
    (0..count).map(|_| (0..each).map(|_| random.number()).collect()).collect()
}

impl<T: Scalar, L: Correction<T>> Machine<T, L> {
    fn new((n, rhs, batch): (usize, usize, usize), (a, b, x): (usize, usize, usize)) -> Self {
        let memory = Memory::new();
        let [a, b, x] =
            [(a, n), (b, rhs), (x, rhs)].map(|(layout, cols)| Batch::new::<T>(&memory, batch, n, cols, layout));
        let low = Batch::new::<L>(&memory, batch, n, n, 1);
        let (sides, rows) = (batch * rhs, batch * rhs * n);
        let (real, groups) = (size_of::<T::Real>(), row_groups(n as u32) as usize);
        let sizes = [
            rows * size_of::<L>(),
            rows * size_of::<T>(),
            rows * real,
            batch * groups * real,
            sides * real,
            sides * real,
            sides * real,
            4 * sides,
            4 * batch,
        ];
        let arrays = sizes.map(|bytes| memory.allocate(bytes));
        let statuses = memory.allocate(4 * batch);
        statuses.write(0, &vec![0; 4 * batch]).unwrap();
        let args = RefineArgs {
            a: a.matrices(),
            b: b.matrices(),
            x_before: x.matrices(),
            x: x.matrices(),
            low: low.matrices(),
            correction: array(&arrays[0]),
            residual: array(&arrays[1]),
            magnitude: array(&arrays[2]),
            norm: array(&arrays[3]),
            scale: array(&arrays[4]),
            error: array(&arrays[5]),
            x_size: array(&arrays[6]),
            state: array(&arrays[7]),
            status: array(&statuses),
            is_done: array(&arrays[8]),
            first: 0,
            end: batch as u64,
            n: n as u32,
            rhs: rhs as u32,
            transposed: 0,
            conjugated: 0,
            is_first: 1,
            most: 5,
        };
        let problem = Problem { n: n as u32, batch: batch as u64, rhs: rhs as u32 };
        Self { memory, a, b, x, low, arrays, _statuses: statuses, args, problem }
    }

    /// In two launches, of which the second begins in the middle.
    fn launch(&self, variant: Variant, args: RefineArgs<T, L>) {
        let middle = self.problem.batch.div_ceil(3);
        for (first, end) in [(0, middle), (middle, self.problem.batch)].into_iter().filter(|(first, end)| first < end) {
            let problem = Problem { batch: end - first, ..self.problem };
            launch::<T, _>(&self.memory, Family::Refine, variant, problem, RefineArgs { first, end, ..args });
        }
    }

    fn read<V: Scalar>(&self, which: usize) -> Vec<V> {
        let mut bytes = vec![0; self.arrays[which].len()];
        self.arrays[which].read(0, &mut bytes).unwrap();
        // SAFETY: any bytes are a scalar.
        bytes.chunks_exact(size_of::<V>()).map(|b| unsafe { b.as_ptr().cast::<V>().read_unaligned() }).collect()
    }

    fn states(&self) -> Vec<i32> {
        words(&self.arrays[7]).into_iter().map(u32::cast_signed).collect()
    }
}

/// b - op(A) x and |op(A)| |x| + |b| of row i of a right-hand side, in f64.
fn row<T: Scalar>(
    (a, b, x): (&[T], &[T], &[T]),
    (n, rhs): (usize, usize),
    (transposed, conjugated): (bool, bool),
    (i, side): (usize, usize),
) -> (c64, f64) {
    let b = b[i * rhs + side].to_c64();
    let mut sum = (b, b.re.abs() + b.im.abs());
    for j in 0..n {
        let a = a[if transposed { j * n + i } else { i * n + j }].to_c64();
        let (a, x) = (if conjugated { a.conj() } else { a }, x[j * rhs + side].to_c64());
        sum.0 -= a * x;
        sum.1 += (a.re.abs() + a.im.abs()) * (x.re.abs() + x.im.abs());
    }
    sum
}

fn residuals<T: Scalar>() {
    for (turn, n) in ORDERS.into_iter().enumerate() {
        for (step, rhs) in [1, 3, 4, 5].into_iter().enumerate() {
            let kind = turn + step;
            let layouts = (kind % LAYOUTS, (kind + 1) % LAYOUTS, (kind + 2) % LAYOUTS);
            let op = OPS[kind % OPS.len()];
            let batch = if n > 64 { 2 } else { 5 };
            let machine = Machine::<T, T>::new((n, rhs, batch), layouts);
            let (a, b, x) = (
                numbers::<T>(batch, n * n, n as u64),
                numbers::<T>(batch, n * rhs, 7),
                numbers::<T>(batch, n * rhs, 9),
            );
            machine.a.write(&a);
            machine.b.write(&b);
            machine.x.write(&x);
            let (transposed, conjugated) = (op.0.into(), op.1.into());
            let args = RefineArgs { transposed, conjugated, scale: absent(), ..machine.args };
            machine.launch(Variant::Residual, args);
            let (residual, magnitude) = (machine.read::<T>(1), machine.read::<T::Real>(2));
            let unit = Threshold::new::<T>(1).unit.to_f64();
            for (at, (residual, magnitude)) in residual.iter().zip(&magnitude).enumerate() {
                let (m, side, i) = (at / n / rhs, at / n % rhs, at % n);
                let (wanted, size) = row((&a[m], &b[m], &x[m]), (n, rhs), op, (i, side));
                let error = (residual.to_c64() - wanted).norm();
                let limit = 4.0 * (n as f64 + 2.0) * unit * size;
                assert!(error <= limit, "n = {n}, rhs = {rhs}, {op:?}, row {at}: {residual:?}, not {wanted}");
                assert!((magnitude.to_f64() - size).abs() <= limit, "n = {n}, row {at}: {magnitude:?}, not {size}");
            }
            // Of one that is done, the next step reads and writes nothing.
            machine.launch(Variant::ComponentWise, args);
            let states = machine.states();
            assert!(states.iter().all(|&state| state == 1), "these are no solutions: {states:?}");
            let done = vec![done_after(3); batch * rhs];
            machine.arrays[7].write(0, &done.iter().flat_map(|s| s.to_le_bytes()).collect::<Vec<_>>()).unwrap();
            let args = RefineArgs { is_first: 0, ..args };
            machine.launch(Variant::Residual, args);
            machine.launch(Variant::ComponentWise, args);
            assert_eq!(machine.states(), done);
            assert!(words(&machine.arrays[8]).iter().all(|&done| done == 1));
        }
    }
}
for_types! { residual: residuals; }

/// Diagonals, whose systems are solved exactly: done at once, unless there is no factor or an element is too large.
fn decisions<T: Scalar, L: Correction<T>>() {
    for (n, layout) in [(1, 0), (5, 1), (32, 2), (33, 3), (70, 1), (300, 0)] {
        let (batch, rhs) = (5, 2);
        let machine = Machine::<T, L>::new((n, rhs, batch), (layout, 1, 0));
        let number = |x: f64| T::from_c64(c64::new(x, 0.0));
        let diagonal =
            |d: f64| -> Vec<T> { (0..n * n).map(|e| number(if e % (n + 1) == 0 { d } else { 0.0 })).collect() };
        machine.a.write(&[2.0, 1e200, 2.0, f64::NAN, 2.0].map(diagonal));
        let b = numbers::<T>(1, n * rhs, 3);
        machine.b.write(&vec![b[0].clone(); batch]);
        let statuses = machine.memory.allocate(4 * batch);
        statuses.write(0, &[0_i32, 0, 1, 0, 0].map(i32::to_le_bytes).concat()).unwrap();
        let args = RefineArgs { status: array(&statuses), is_first: 0, most: 30, ..machine.args };
        machine.launch(Variant::ToSingle, args);
        let norms = machine.read::<T::Real>(3);
        let groups = row_groups(n as u32) as usize;
        assert!(norms[..groups].iter().all(|x| x.to_f64() == 2.0), "n = {n}: {norms:?}");
        assert!(norms[groups..2 * groups].iter().all(|x| x.to_f64() == f64::INFINITY));
        let low = machine.low.read::<L>();
        assert!(low[0].iter().zip(diagonal(2.0)).all(|(low, wide)| low.to_wide() == wide));
        machine.launch(Variant::Start, args);
        // The solution of corrections, from the right-hand sides that are there.
        let halve = || {
            let half: Vec<u8> =
                machine.read::<L>(0).iter().flat_map(|x| bytes(x.scale(L::Real::from_f64(0.5)))).collect();
            machine.arrays[0].write(0, &half).unwrap();
        };
        halve();
        for step in 0..3 {
            machine.launch(Variant::ResidualOfSingle, args);
            machine.launch(Variant::NormWise, args);
            let states = machine.states();
            assert_eq!(states[2..8], [OVERFLOW, OVERFLOW, SINGULAR, SINGULAR, OVERFLOW, OVERFLOW], "n = {n}");
            for &state in states[..2].iter().chain(&states[8..]) {
                let wanted = if step < 2 { step + 1 } else { done_after(2) };
                assert!(state == wanted || state == done_after(1) && step > 0, "n = {n}, step {step}: {states:?}");
            }
            let open = states.chunks(2).map(|of| u32::from(of.iter().all(|&s| s < 0)));
            assert!(words(&machine.arrays[8]).into_iter().eq(open), "n = {n}, step {step}");
            halve();
        }
        let x = machine.x.read::<T>();
        // What the criterion takes for small enough.
        let largest = x[0].iter().map(|x| x.abs1().to_f64()).fold(0.0, f64::max);
        let limit = largest * 2.0 * Threshold::new::<T>(n as u32).norm_wise.to_f64();
        for (x, b) in x[0].iter().zip(&b[0]) {
            let residual = x.to_c64() * 2.0 - b.to_c64();
            assert!(residual.re.abs() + residual.im.abs() <= limit, "n = {n}: {x:?}, {b:?}");
        }
    }
}

#[test]
fn decisions_f64() {
    decisions::<f64, f32>();
}

#[test]
fn decisions_c64() {
    decisions::<c64, c32>();
}

#[test]
fn corrections_that_do_not_help_are_given_up() {
    let threshold = Threshold::new::<f64>(4);
    let small = 1.8 * threshold.unit;
    let decide = |left, error, before, steps| threshold.decide((left, 1.0, 1.0), (error, before), (steps, 30));
    assert_eq!(decide(1e-8, 1e-8, f64::NAN, 0), 1);
    assert_eq!(decide(1e-8, 1e-8, 1e-8, 1), STALLED);
    assert_eq!(decide(1e-9, 1e-9, 1e-8, 30), STALLED);
    assert_eq!(decide(small, small, 1e-8, 30), done_after(30));
    // By norms, or row by row alone, it is not small enough.
    assert_eq!(decide(small, 1e-9, 1e-8, 3), 4);
    assert_eq!(decide(2.0 * threshold.unit, small, 1e-8, 3), 4);
    assert_eq!(decide(f64::NAN, f64::NAN, f64::NAN, 0), OVERFLOW);
    assert_eq!(threshold.decide((1.0, f64::INFINITY, 1.0), (1.0, 2.0), (3, 30)), OVERFLOW);
    assert_eq!(threshold.decide((0.0, 0.0, 1.0), (0.0, f64::NAN), (0, 30)), done_after(0));
}

fn bytes<T: Scalar>(x: T) -> Vec<u8> {
    // SAFETY: a scalar is plain data without padding.
    unsafe { std::slice::from_raw_parts((&raw const x).cast::<u8>(), size_of::<T>()) }.to_vec()
}

/// A correction that makes the component-wise error larger is not added, unless it is the last.
fn worse_corrections<T: Scalar>() {
    let (n, rhs, batch) = (40, 2, 3);
    let machine = Machine::<T, T>::new((n, rhs, batch), (0, 1, 2));
    let (a, b, x) = (numbers::<T>(batch, n * n, 1), numbers::<T>(batch, n * rhs, 2), numbers::<T>(batch, n * rhs, 3));
    machine.a.write(&a);
    machine.b.write(&b);
    machine.x.write(&x);
    let args = RefineArgs { scale: absent(), ..machine.args };
    machine.launch(Variant::Residual, args);
    machine.launch(Variant::ComponentWise, args);
    let fill =
        |which: usize, x: &[u8]| machine.arrays[which].write(0, &x.repeat(machine.arrays[which].len() / x.len()));
    let small = T::Real::from_f64(1e-6);
    fill(0, &bytes(T::ONE)).unwrap();
    fill(5, &bytes(small)).unwrap();
    let args = RefineArgs { is_first: 0, ..args };
    machine.launch(Variant::Residual, args);
    machine.launch(Variant::ComponentWise, args);
    assert_eq!(machine.states(), [2; 6]);
    assert!(machine.x.read::<T>() == x && machine.read::<T>(0).iter().all(|&x| x == T::ZERO));
    assert!(machine.read::<T::Real>(5).iter().all(|&error| error == small));
    fill(0, &bytes(T::ONE)).unwrap();
    let args = RefineArgs { most: 2, ..args };
    machine.launch(Variant::Residual, args);
    machine.launch(Variant::ComponentWise, args);
    assert_eq!(machine.states(), [done_after(2); 6]);
    for (after, before) in machine.x.read::<T>().iter().zip(&x) {
        assert!(after.iter().zip(before).all(|(&after, &before)| after == before + T::ONE));
    }
}
for_types! { refused: worse_corrections; }
