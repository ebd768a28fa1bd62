//! Host memory on its way through slots, chunks and workers: nothing is lost or mixed up, whatever the sizes.

use warplu::{Batch, BatchMut, Device, Layout, Status};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::{identity, pivot_of, status_of};

/// Bytes of a slot (`host/src/call/chunks.rs`), which the sizes below lie around.
const SLOT: usize = 2 << 20;

/// Orders and numbers of matrices: slots hold all of the elements, or all but one; a short last chunk; a matrix that
/// fills a slot, or several; several workers' chunks.
const SIZES: [(usize, usize); 13] = [
    (1, SLOT / 8 - 1),
    (1, SLOT / 8 + 1),
    (3, SLOT / 72),
    (3, SLOT / 72 + 1),
    (32, 255),
    (32, 256),
    (32, 257),
    (32, 1500),
    (100, 61),
    (512, 1),
    (512, 3),
    (600, 2),
    (1100, 3),
];

/// The outputs of a factorization.
struct Factored {
    lu: Vec<f64>,
    pivots: Vec<u32>,
    status: Vec<Status>,
}

impl Factored {
    /// As many as the matrices, with nothing in them yet that a kernel would write.
    fn new(n: usize, batch: usize, elements: usize) -> Self {
        Self { lu: vec![-1.0; elements], pivots: vec![u32::MAX; batch * n], status: vec![Status::NonFinite; batch] }
    }

    /// Checks all of them against the matrices that went in.
    #[track_caller]
    fn check(&self, a: &Batch<'_, f64>, lu: &Batch<'_, f64>, what: &str) {
        let n = a.rows();
        for b in 0..a.batch() {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                assert!(lu.get(b, i, j) == a.get(b, i, j), "{what}: element {i}, {j} of matrix {b}");
            }
            let pivots = (0..n).map(|k| pivot_of(a.get(b, k, 0), n));
            assert!(self.pivots[b * n..][..n].iter().copied().eq(pivots), "{what}: pivots of matrix {b}");
            assert_eq!(self.status[b].code(), status_of(a.get(b, 0, 0)), "{what}: status of matrix {b}");
        }
    }
}

/// Numbers that are all different.
fn numbers(len: usize) -> Vec<f64> {
    (1..=len).map(|i| i as f64).collect()
}

/// No limit, and one that leaves room for three matrices or so, whose last chunk is shorter than the others where their
/// number is no multiple.
fn devices(n: usize) -> [Device; 2] {
    let device = Device::cuda(0).unwrap();
    [device.clone(), device.with_memory_limit(7 * 8 * (2 * n * n + n) + 4096)]
}

#[test]
fn compact_matrices_arrive() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    for (n, batch) in SIZES {
        let numbers = numbers(batch * n * n);
        let a = Batch::row_major(&numbers, batch, n, n).unwrap();
        for (i, device) in devices(n).into_iter().enumerate() {
            if i == 1 && batch > 2000 {
                continue; // chunks of a few numbers each: only slow
            }
            let mut out = Factored::new(n, batch, batch * n * n);
            let mut lu = BatchMut::row_major(&mut out.lu, batch, n, n).unwrap();
            out.status = device.lu_into(&a, &mut lu, &mut out.pivots).unwrap().into_vec();
            out.check(
                &a,
                &Batch::row_major(&out.lu, batch, n, n).unwrap(),
                &format!("{batch} of order {n} on device {i}"),
            );
        }
    }
    assert_eq!(pretend.count(Count::PageableCopies), 0);
    pretend.finish();
}

#[test]
fn strided_matrices_arrive_and_what_is_between_stays() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    for (n, batch) in [(3, 40_000), (32, 300), (600, 2)] {
        // Columns first, two numbers apart, with gaps behind columns and matrices.
        let from = Layout { batch_stride: 2 * n * n + 5, row_stride: 2, col_stride: 2 * n };
        let to = Layout { batch_stride: n * (n + 1) + 3, row_stride: n + 1, col_stride: 1 };
        let numbers = numbers(batch * from.batch_stride);
        let a = Batch::strided(&numbers, batch, n, n, from).unwrap();
        for device in devices(n) {
            let mut out = Factored::new(n, batch, batch * to.batch_stride);
            let mut lu = BatchMut::strided(&mut out.lu, batch, n, n, to).unwrap();
            out.status = device.lu_into(&a, &mut lu, &mut out.pivots).unwrap().into_vec();
            out.check(&a, &Batch::strided(&out.lu, batch, n, n, to).unwrap(), &format!("{batch} of order {n}"));
            let written = out.lu.iter().filter(|&&x| x != -1.0).count();
            assert_eq!(written, batch * n * n, "what is between is as before");
        }
    }
    pretend.finish();
}

#[test]
fn matrices_in_place_arrive() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    for (n, batch) in [(3, 40_000), (32, 257), (600, 3)] {
        let compact = Layout::column_major(n, n);
        let gaps = Layout { batch_stride: n * (n + 2), row_stride: 1, col_stride: n + 2 };
        for layout in [compact, gaps] {
            let before = numbers(batch * layout.batch_stride);
            let a = Batch::strided(&before, batch, n, n, layout).unwrap();
            for device in devices(n) {
                let mut out = Factored::new(n, batch, 0);
                out.lu.clone_from(&before);
                let mut lu = BatchMut::strided(&mut out.lu, batch, n, n, layout).unwrap();
                out.status = device.lu_in_place(&mut lu, &mut out.pivots).unwrap().into_vec();
                out.check(&a, &Batch::strided(&out.lu, batch, n, n, layout).unwrap(), &format!("{layout:?}"));
                assert!(out.lu == before, "also what is between");
            }
        }
    }
    pretend.finish();
}

/// The GPU copies page-locked memory itself, and all of it; never memory of the caller's that is not.
#[test]
fn pinned_memory_goes_by_direct_copies() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    for (n, batch) in [(32, 700), (600, 3), (32, 1)] {
        let device = Device::cuda(0).unwrap();
        let (len, bytes) = (batch * n * n, 8 * batch * n * n);
        let mut own = numbers(len);
        let mut registered = vec![0.0; len];
        let (mut input, mut output) = (device.pinned::<f64>(len).unwrap(), device.pinned::<f64>(len).unwrap());
        input.copy_from_slice(&own);
        let mut registered = device.pin(&mut registered).unwrap();
        let factor = |from: &[f64], to: &mut [f64]| {
            pretend.begin_trace();
            let a = Batch::row_major(from, batch, n, n).unwrap();
            let mut out = Factored::new(n, batch, 0);
            let mut lu = BatchMut::row_major(&mut *to, batch, n, n).unwrap();
            out.status = device.lu_into(&a, &mut lu, &mut out.pivots).unwrap().into_vec();
            out.check(&a, &Batch::row_major(to, batch, n, n).unwrap(), &format!("{batch} of order {n}"));
            let copies = pretend.copies();
            assert!(copies.iter().all(|copy| copy.locked));
            let direct = |elements: &[f64], to_device| -> usize {
                let own = copies.iter().filter(|copy| copy.to_device == to_device && copy.is_within(elements));
                own.map(|copy| copy.len).sum()
            };
            [direct(from, true), direct(to, false)]
        };
        assert_eq!(factor(&input, &mut output), [bytes, bytes]);
        assert_eq!(factor(&input, &mut registered), [bytes, bytes]);
        assert_eq!(factor(&registered, &mut own), [bytes, 0]);
        assert_eq!(factor(&own, &mut output), [0, bytes]);
        // In place, and by ranges of what is pinned.
        let mut out = Factored::new(n, batch, 0);
        pretend.begin_trace();
        let mut a = BatchMut::row_major(&mut output, batch, n, n).unwrap();
        out.status = device.lu_in_place(&mut a, &mut out.pivots).unwrap().into_vec();
        assert!(*output == *own);
        let direct = pretend.copies().iter().filter(|copy| copy.is_within(&output)).map(|copy| copy.len).sum::<usize>();
        assert_eq!(direct, 2 * bytes);
    }
    assert_eq!(pretend.count(Count::PageableCopies), 0);
    pretend.finish();
}

/// Buffers too: an upload or download of a slice goes through slots, as calls do.
#[test]
fn buffers_are_filled_and_read_through_slots() {
    let pretend = Pretend::open();
    for len in [1, SLOT / 8 - 1, SLOT / 8 + 1, 3 * SLOT / 8 + 7] {
        let device = Device::cuda(0).unwrap();
        let numbers = numbers(len);
        pretend.begin_trace();
        let buffer = device.upload(&numbers).unwrap();
        let back = buffer.to_vec().unwrap();
        assert!(back == numbers);
        assert!(pretend.copies().iter().all(|copy| copy.locked && copy.len <= SLOT));
    }
    assert_eq!(pretend.count(Count::PageableCopies), 0);
    pretend.finish();
}
