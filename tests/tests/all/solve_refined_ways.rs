//! All ways to refined solutions lead to the same bits: into memory, by chunks, from sources, by plans.

use std::io;
use std::sync::Mutex;

use warplu::out_of_core::{Sink, SinkBatch, Source, SourceBatch};
use warplu::resident::{DeviceBatch, DeviceBatchMut, Size, SolveRefinedPlan, of};
use warplu::verify::Random;
use warplu::{Algorithm, Batch, BatchMut, Device, Double, Element, Error, Layout, Refinement, Status};
use warplu_tests::compare::{assert_same, one};
use warplu_tests::matrices::{LAYOUTS, fill, layout, mixed, number};
use warplu_tests::{devices, for_types};

struct Stored<T>(Mutex<Vec<T>>);

impl<T: Element> Source<T> for Stored<T> {
    fn read(&self, first: usize, to: &mut [T]) -> io::Result<()> {
        to.copy_from_slice(&self.0.lock().unwrap()[first..][..to.len()]);
        Ok(())
    }
}

impl<T: Element> Sink<T> for Stored<T> {
    fn write(&self, first: usize, from: &[T]) -> io::Result<()> {
        self.0.lock().unwrap()[first..][..from.len()].copy_from_slice(from);
        Ok(())
    }
}

fn same_bits<T: Double>() {
    let (batch, n, rhs) = (23, 9, 3);
    let mut random = Random::new(2);
    let (mut data, sides): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
    data[5 * n * n] = number(1e200);
    let (a, b) = (Batch::row_major(&data, batch, n, n).unwrap(), Batch::row_major(&sides, batch, n, rhs).unwrap());
    for device in devices(1) {
        let wanted = device.solve_refined(&a, &b).unwrap();
        let check = |what: &str, x: &[T], status: &[Status], refinement: &[Refinement]| {
            assert_same(&format!("{device} {what}"), x, wanted.x.as_slice());
            assert_eq!((status, refinement), (&*wanted.status, &wanted.refinement[..]), "{device} {what}");
        };
        for limit in [20 << 10, 100 << 10, 1 << 30] {
            let some = device.clone().with_memory_limit(limit).solve_refined(&a, &b).unwrap();
            check(&format!("{limit} bytes"), some.x.as_slice(), &some.status, &some.refinement);
            let [a, b, x] =
                [data.clone(), sides.clone(), vec![number(0.0); sides.len()]].map(|v| Stored(Mutex::new(v)));
            let [source, sides] = [(&a, n), (&b, rhs)].map(|(of, k)| SourceBatch::row_major(of, batch, n, k).unwrap());
            let mut sink = SinkBatch::row_major(&x, batch, n, rhs).unwrap();
            let limited = device.clone().with_memory_limit(limit);
            let (status, refinement) = limited.solve_refined_into(&source, &sides, &mut sink).unwrap();
            check("from a source", &x.0.lock().unwrap(), &status, &refinement);
        }
        let stream = device.stream().unwrap();
        let (a, b) = (device.upload(&data).unwrap(), device.upload(&sides).unwrap());
        let mut x = device.buffer::<T>(sides.len()).unwrap();
        let plan = SolveRefinedPlan::<T>::new(&device, Size::order(n).batch(batch + 2).rhs(rhs)).unwrap();
        assert!(plan.bytes() > 0);
        for _ in 0..2 {
            let (mut refinement, mut status) = (device.buffer(batch).unwrap(), device.buffer(batch).unwrap());
            let (a, b) =
                (DeviceBatch::row_major(&a, batch, n, n).unwrap(), DeviceBatch::row_major(&b, batch, n, rhs).unwrap());
            let mut to = DeviceBatchMut::row_major(&mut x, batch, n, rhs).unwrap();
            let operands =
                of::SolveRefined { a: &a, b: &b, x: &mut to, refinement: &mut refinement, status: &mut status };
            plan.run(&stream, operands).unwrap();
            let status: Vec<_> = status.to_vec().unwrap().into_iter().map(Status::from_code).collect();
            let refinement: Vec<_> = refinement.to_vec().unwrap().into_iter().map(Refinement::from_code).collect();
            check("by a plan", &x.to_vec().unwrap(), &status[..batch], &refinement[..batch]);
        }
    }
}
for_types!(same_bits: f64 c64);

/// Inputs and outputs of any strides, one matrix for all right-hand sides among them.
fn layouts<T: Double>() {
    let (batch, n, rhs) = (4, 35, 2);
    for kind in 0..LAYOUTS {
        let (strides, len): (Layout, usize) = layout(kind, batch, n, n);
        let data: Vec<T> = fill(&mut Random::new(kind as u64), strides, len, (batch, n, n));
        let (of_sides, len) = layout((kind + 1) % (LAYOUTS - 1), batch, n, rhs);
        let sides: Vec<T> = fill(&mut Random::new(9), of_sides, len, (batch, n, rhs));
        let a = Batch::strided(&data, batch, n, n, strides).unwrap();
        let b = Batch::strided(&sides, batch, n, rhs, of_sides).unwrap();
        for device in devices(kind as u64) {
            let wanted = device.solve_refined(&a, &b).unwrap();
            let (of_x, len) = layout((kind + 2) % (LAYOUTS - 1), batch, n, rhs);
            let mut x = vec![number::<T>(f64::NAN); len];
            let mut to = BatchMut::strided(&mut x, batch, n, rhs, of_x).unwrap();
            let (status, how) = device.solve_refined_into(&a, &b, &mut to).unwrap();
            let x = to.view();
            for i in 0..batch {
                assert_same(&format!("{device} layout {kind}"), &one(&x, i), &one(&wanted.x.view(), i));
            }
            assert_eq!((&*wanted.status, &wanted.refinement[..]), (&status[..], &how[..]));
        }
    }
}
for_types!(layouts: f64 c64);

#[test]
fn empty_batches_and_wrong_shapes() {
    let elements: Vec<f64> = Random::new(1).elements(18);
    for device in devices(1) {
        for (batch, n, rhs) in [(0, 3, 1), (0, 0, 0), (5, 0, 2), (2, 3, 0), (0, 3, 0), (1, 0, 0)] {
            let a = Batch::row_major(&elements[..batch * n * n], batch, n, n).unwrap();
            let b = Batch::row_major(&elements[..batch * n * rhs], batch, n, rhs).unwrap();
            let refined = device.solve_refined(&a, &b).unwrap();
            assert_eq!((refined.x.batch(), refined.x.rows(), refined.x.cols()), (batch, n, rhs));
            assert_eq!(refined.refinement, vec![Refinement::Converged(0); batch]);
            assert_eq!(*refined.status, vec![Status::Ok; batch]);
        }
        let (a, b) =
            (Batch::row_major(&elements, 2, 3, 3).unwrap(), Batch::row_major(&elements[..4], 2, 2, 1).unwrap());
        let error = device.solve_refined(&a, &b).unwrap_err();
        assert!(
            matches!(error, Error::Shape(_)) && error.to_string().contains("`b` must hold 2 matrices of 3 x 1"),
            "{error}"
        );
        let b = Batch::row_major(&elements[..6], 2, 3, 1).unwrap();
        let mut x = [0.0; 6];
        let mut x = BatchMut::row_major(&mut x, 3, 2, 1).unwrap();
        let error = device.solve_refined_into(&a, &b, &mut x).unwrap_err();
        assert!(error.to_string().contains("`x` must hold 2 matrices of 3 x 1, but it holds 3 of 2 x 1"), "{error}");
        let oblong = Batch::row_major(&elements, 3, 2, 3).unwrap();
        assert!(device.solve_refined(&oblong, &b).unwrap_err().to_string().contains("must be square"));
    }
    let one = Batch::row_major(&elements[..1], 1, 1, 1).unwrap();
    let device = Device::cpu().with(Algorithm::Kernel("getrf_global"));
    assert!(matches!(device.solve_refined(&one, &one), Err(Error::Unsupported(_))));
}
