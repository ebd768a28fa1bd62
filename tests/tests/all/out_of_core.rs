//! Calls that read and write by ranges: the bits of the calls in memory, each element once.

use std::io;
use std::ops::Range;
use std::sync::Mutex;

use warplu::out_of_core::{self, Sink, SinkBatch, Source, SourceBatch};
use warplu::verify::Random;
use warplu::{Batch, Device, Element, Error, Lu, Norm, Op, Pod, Real, RealOf, Status};
use warplu_tests::compare::{assert_same, factors, pivots};
use warplu_tests::matrices::{mixed, number};
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

/// Elements in memory, which fail from an element on if they are told to.
struct Stored<T> {
    data: Mutex<Vec<T>>,
    asked: Mutex<Vec<Range<usize>>>,
    bad: Option<usize>,
}

impl<T: Pod> Stored<T> {
    fn new(data: &[T]) -> Self {
        Self { data: Mutex::new(data.to_vec()), asked: Mutex::default(), bad: None }
    }

    fn failing_at(self, bad: usize) -> Self {
        Self { bad: Some(bad), ..self }
    }

    fn ask(&self, first: usize, len: usize) -> io::Result<Range<usize>> {
        let range = first..first + len;
        self.asked.lock().unwrap().push(range.clone());
        match self.bad {
            Some(bad) if range.contains(&bad) => Err(io::Error::other(format!("no element {bad}"))),
            _ => Ok(range),
        }
    }

    /// The elements, of which each was asked for once.
    #[track_caller]
    fn whole(&self) -> Vec<T> {
        let data = self.data.lock().unwrap();
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.sort_unstable_by_key(|range| range.start);
        let end = asked.iter().fold(0, |end, range| {
            assert_eq!(range.start, end, "a gap, or an element twice");
            range.end
        });
        assert_eq!(end, data.len());
        data.clone()
    }
}

impl<T: Pod + Send> Source<T> for Stored<T> {
    fn read(&self, first: usize, to: &mut [T]) -> io::Result<()> {
        to.copy_from_slice(&self.data.lock().unwrap()[self.ask(first, to.len())?]);
        Ok(())
    }
}

impl<T: Pod + Send> Sink<T> for Stored<T> {
    fn write(&self, first: usize, from: &[T]) -> io::Result<()> {
        self.data.lock().unwrap()[self.ask(first, from.len())?].copy_from_slice(from);
        Ok(())
    }
}

/// Limits on memory: none, and chunks of few matrices, which several devices take in turn.
fn limited(seed: u64) -> impl Iterator<Item = Device> {
    let few = devices(seed).into_iter().chain([Device::sims(3).unwrap()]);
    devices(seed).into_iter().chain(few.map(|device| device.with_memory_limit(40 << 10)))
}

fn as_in_memory<T: Element>() {
    for (batch, n, rhs) in [(23, 9, 2), (1, 33, 3), (0, 4, 1), (5, 0, 2), (7, 3, 0)] {
        for device in limited(n as u64) {
            let mut random = Random::new(n as u64);
            let (a_data, b_data): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
            let a = Batch::column_major(&a_data, batch, n, n).unwrap();
            let b = Batch::row_major(&b_data, batch, n, rhs).unwrap();
            let (own_a, own_b) = (Stored::new(&a_data), Stored::new(&b_data));
            let from = || SourceBatch::column_major(&own_a, batch, n, n).unwrap();

            let wanted = device.invert(&a).unwrap();
            let sink = Stored::new(&vec![number::<T>(7.0); batch * n * n]);
            let mut to = SinkBatch::column_major(&sink, batch, n, n).unwrap();
            let status = device.invert_into(&from(), &mut to).unwrap();
            assert_same("inverse", &sink.whole(), wanted.matrices.as_slice());
            assert_eq!(status, wanted.status);
            own_a.whole();

            let wanted = device.solve(&a, &b).unwrap();
            let sink = Stored::new(&vec![number::<T>(7.0); batch * n * rhs]);
            let sides = SourceBatch::row_major(&own_b, batch, n, rhs).unwrap();
            let mut x = SinkBatch::row_major(&sink, batch, n, rhs).unwrap();
            assert_eq!(device.solve_into(&from(), &sides, &mut x).unwrap(), wanted.status);
            assert_same("solution", &sink.whole(), wanted.x.as_slice());
            own_a.whole();
            own_b.whole();

            let wanted = device.lu(&a).unwrap();
            let sink = Stored::new(&vec![number::<T::Scalar>(7.0); batch * n * n]);
            let swaps = Stored::new(&vec![u32::MAX; batch * n]);
            let mut to = SinkBatch::column_major(&sink, batch, n, n).unwrap();
            let to_swaps = SinkBatch::row_major(&swaps, batch, n, 1).unwrap();
            assert_eq!(device.lu_into(&from(), &mut to, to_swaps).unwrap(), *wanted.status());
            assert_same("factors", &sink.whole(), factors(&wanted).as_slice());
            assert_eq!(swaps.whole(), pivots(&wanted));
            own_a.whole();

            let wanted = device.det(&a).unwrap();
            let got = device.det(&from()).unwrap();
            assert_same("sign", &got.sign, &wanted.sign);
            assert_eq!(format!("{:?}", got.log_abs), format!("{:?}", wanted.log_abs));
            assert_eq!(got.status, wanted.status);
            own_a.whole();
        }
    }
}
for_types!(as_in_memory);

/// Factors that are stored in the type of the matrices: statuses are found from them, and bad matrices spoil nothing
/// else.
fn from_factors<T: Element>() {
    for (batch, n, rhs) in [(21, 8, 3), (6, 1, 1), (4, 34, 2), (10, 3, 0)] {
        let mut random = Random::new(n as u64);
        let (a, b): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
        for device in limited(1) {
            let made = device.lu(&Batch::row_major(&a, batch, n, n).unwrap()).unwrap();
            let stored: Vec<T> = factors(&made).as_slice().iter().map(|&x| T::narrow(x)).collect();
            let wide: Vec<T::Scalar> = stored.iter().map(|&x| x.widen()).collect();
            let wide = Batch::row_major(&wide, batch, n, n).unwrap();
            let lu = Lu::<T>::from_parts(&device, &wide, pivots(&made)).unwrap();
            assert_eq!(lu.status()[..], made.status()[..]);
            let sides = Batch::column_major(&b, batch, n, rhs).unwrap();
            let (own, swaps, own_b) = (Stored::new(&stored), Stored::new(pivots(&made)), Stored::new(&b));
            for op in OPS {
                let sink = Stored::new(&vec![number::<T>(7.0); b.len()]);
                let status = out_of_core::solve_from_factors(
                    &device,
                    SourceBatch::row_major(&own, batch, n, n).unwrap(),
                    &swaps,
                    op,
                    SourceBatch::column_major(&own_b, batch, n, rhs).unwrap(),
                    SinkBatch::column_major(&sink, batch, n, rhs).unwrap(),
                );
                assert_eq!(status.unwrap(), *made.status(), "{op:?}");
                assert_same("solution", &sink.whole(), lu.solve(&sides, op).unwrap().x.as_slice());
                own.whole();
                swaps.whole();
                own_b.whole();
            }
        }
    }
}
for_types!(from_factors);

/// Asserts that a call has failed with an error of input or output that says so.
#[track_caller]
fn assert_io<R: std::fmt::Debug>(result: Result<R, Error>, message: &str) {
    match result {
        Err(error @ Error::Io(_)) => assert_eq!(error.to_string(), message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn failures_end_the_call() {
    let (batch, n) = (1000, 4);
    let data: Vec<f32> = Random::new(1).elements(batch * n * n);
    for device in devices(1) {
        // One matrix a chunk, and so one worker.
        let device = device.with_memory_limit(250);
        let sink = Stored::new(&data);
        let mut to = SinkBatch::row_major(&sink, batch, n, n).unwrap();
        let source = Stored::new(&data).failing_at(20 * n * n);
        let from = SourceBatch::row_major(&source, batch, n, n).unwrap();
        assert_io(device.invert_into(&from, &mut to), "no element 320");
        assert_eq!(source.asked.lock().unwrap().len(), 21, "{device}: nothing is read after the failure");
        assert!(sink.asked.lock().unwrap().len() <= 20);
        assert_io(device.det(&from), "no element 320");

        let source = Stored::new(&data);
        let from = SourceBatch::row_major(&source, batch, n, n).unwrap();
        let sink = Stored::new(&data).failing_at(3 * n * n + 5);
        let mut to = SinkBatch::row_major(&sink, batch, n, n).unwrap();
        assert_io(device.invert_into(&from, &mut to), "no element 53");
        assert!(source.asked.lock().unwrap().len() < 10, "{device}: what was under way is all that was read");
        let swaps = Stored::new(&vec![0; batch * n]).failing_at(0);
        let sink = Stored::new(&data);
        let mut to = SinkBatch::row_major(&sink, batch, n, n).unwrap();
        assert_io(device.lu_into(&from, &mut to, SinkBatch::row_major(&swaps, batch, n, 1).unwrap()), "no element 0");
        // The device works on as if nothing had been.
        assert!(device.lu_into(&from, &mut to, &mut vec![0; batch * n]).unwrap().all_ok());
    }
}

#[test]
fn pivots_that_lead_nowhere_are_named() {
    let (batch, n) = (6, 3);
    let data: Vec<f64> = Random::new(1).elements(batch * n * n);
    let (own, own_b) = (Stored::new(&data), Stored::new(&data[..batch * n]));
    let mut swaps = vec![2; batch * n];
    swaps[4 * n + 1] = 3;
    let swaps = Stored::new(&swaps);
    for device in limited(1) {
        let sink = Stored::new(&data[..batch * n]);
        let (b, x) =
            (SourceBatch::row_major(&own_b, batch, n, 1).unwrap(), SinkBatch::row_major(&sink, batch, n, 1).unwrap());
        let lu = SourceBatch::row_major(&own, batch, n, n).unwrap();
        match out_of_core::solve_from_factors(&device, lu, &swaps, Op::None, b, x) {
            Err(Error::Shape(text)) => {
                assert!(text.contains("pivot 1 of matrix 4 is 3, but rows are counted from 0 to 2"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn wrong_sizes_are_named() {
    #[track_caller]
    fn says<R: std::fmt::Debug>(result: Result<R, Error>, part: &str) {
        match result {
            Err(Error::Shape(text)) => assert!(text.contains(part), "{text}"),
            other => panic!("{other:?}"),
        }
    }
    let own = Stored::new(&[1.0_f64; 24]);
    let source = |batch, rows, cols| SourceBatch::row_major(&own, batch, rows, cols);
    let (a, oblong, sides) = (source(2, 3, 3).unwrap(), source(4, 2, 3).unwrap(), source(3, 3, 2).unwrap());
    let mut out = SinkBatch::row_major(&own, 2, 3, 2).unwrap();
    for device in devices(1) {
        says(device.det(&oblong), "2 x 3: they must be square");
        says(device.invert_into(&a, &mut out), "must hold 2 matrices of 3 x 3, but it holds 2 of 3 x 2");
        says(device.solve_into(&a, &sides, &mut out), "must hold 2 matrices of 3 x 2, but it holds 3 of 3");
        says(device.lu_into(&a, &mut out, &mut [0; 6]), "must hold 2 matrices of 3 x 3");
        let few = Stored::new(&[0; 5]);
        let few = SinkBatch::row_major(&few, 1, 3, 1).unwrap();
        let mut factors = SinkBatch::row_major(&own, 2, 3, 3).unwrap();
        says(device.lu_into(&a, &mut factors, few), "`pivots` must hold 2 matrices of 3 x 1, but it holds 1 of 3 x 1");
        let ragged = warplu::Ragged::row_major(&[1.0, 2.0], &[1, 1]).unwrap();
        let (mut factors, few) = ([0.0; 2], SinkBatch::row_major(&Nothing, 2, 1, 1).unwrap());
        let mut factors = warplu::RaggedMut::row_major(&mut factors, &[1, 1]).unwrap();
        says(device.lu_into(&ragged, &mut factors, few), "`pivots` must be for matrices of many sizes: give a slice");
    }
    says(source(usize::MAX, 3, 3).map(drop), "more than any memory");
    assert!(own.asked.lock().unwrap().is_empty());
    // What sources hold is also inverted and factored in memory.
    let a = source(24, 1, 1).unwrap();
    assert_eq!(Device::cpu().det(&a).unwrap().status, [Status::Ok; 24]);
    assert_eq!(Device::cpu().invert(&a).unwrap().matrices.as_slice(), [1.0; 24]);
    assert_eq!(Device::cpu().lu(&a).unwrap().factors().unwrap().as_slice(), [1.0; 24]);
}

/// Takes pivots, and keeps none.
struct Nothing;

impl Sink<u32> for Nothing {
    fn write(&self, _first: usize, _from: &[u32]) -> io::Result<()> {
        Ok(())
    }
}

/// Piece by piece, as in memory, and what keeps a piece from being worked on.
fn matrices_with_their_factors<T: Element>() {
    for (batch, n) in [(23, 9), (3, 33), (0, 4), (5, 0)] {
        for device in limited(n as u64) {
            let data: Vec<T> = mixed(&mut Random::new(n as u64), batch, n);
            let a = Batch::column_major(&data, batch, n, n).unwrap();
            let norm = Norm::Infinity;
            let wanted = device.lu(&a).unwrap().rcond(&a.norms(norm).unwrap()).unwrap();
            let (source, mut rcond) = (Stored::new(&data), Vec::new());
            let stored = SourceBatch::column_major(&source, batch, n, n).unwrap();
            let status = out_of_core::with_factors(&device, stored, 0, |first, a, lu| {
                assert_eq!((first, a.batch()), (rcond.len(), lu.batch()));
                let conditions = lu.rcond(&a.norms(norm)?)?;
                rcond.extend(conditions.rcond);
                Ok(conditions.status)
            });
            source.whole();
            assert_eq!(status.unwrap(), wanted.status);
            let bits = |all: &[RealOf<T>]| all.iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&rcond), bits(&wanted.rcond));
        }
    }
}
for_types!(matrices_with_their_factors);

#[test]
fn work_on_factors_that_fails() {
    let source = Stored::new(&[1.0_f64, 2.0, 3.0]);
    let a = SourceBatch::row_major(&source, 3, 1, 1).unwrap();
    for device in devices(1) {
        let few = device.lu(&Batch::<f64>::row_major(&[], 0, 1, 1).unwrap()).unwrap().status().clone();
        match out_of_core::with_factors(&device, a, 0, |_, _, _| Ok(few.clone())) {
            Err(Error::Shape(text)) => assert!(text.contains("as many statuses, but it returned 0"), "{text}"),
            other => panic!("{other:?}"),
        }
        let failed = out_of_core::with_factors(&device, a, 0, |_, _, _| Err(Error::Shape("mine".to_owned())));
        assert!(failed.unwrap_err().to_string().contains("mine"));
    }
    assert_eq!(a.read(1, 2).unwrap().as_slice(), [2.0, 3.0]);
    assert!(a.read(2, 2).unwrap_err().to_string().contains("more than the 3 that there are"));
    assert!(a.read(usize::MAX, 2).is_err());
}
