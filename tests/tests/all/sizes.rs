//! Sizes that no memory holds are errors, in a process of their own: one that wraps around could end it.

use std::env;
use std::process::Command;

use warplu::out_of_core::{self, Sink, SinkBatch, Source, SourceBatch};
use warplu::resident::{
    DetPlan, DeviceBatch, DeviceBatchMut, InversePlan, LuInversePlan, LuPlan, LuSolvePlan, Size, SolvePlan, of,
};
use warplu::{Batch, Device, Layout, Lu, Op, Result, Status};

/// Tells the child which cases are its own.
const CASES: &str = "WARPLU_TESTS_SIZES";

/// One element for all.
const ONE_PLACE: Layout = Layout { batch_stride: 0, row_stride: 0, col_stride: 0 };

/// The largest order that is taken at all.
const LARGEST: usize = 1 << 20;

type Case = (&'static str, fn(&Device) -> Result<()>);

/// Calls on host memory.
const HOST: [Case; 17] = [
    ("order", |device| invert(device, 4, 1 << 31)),
    ("order-and-batch", |device| invert(device, 1 << 12, LARGEST)),
    ("batch", |device| invert(device, usize::MAX, 1)),
    ("lu", |device| device.lu(&Batch::strided(&[1.0], 1 << 12, LARGEST, LARGEST, ONE_PLACE)?).map(drop)),
    ("det", |device| device.det(&Batch::strided(&[1.0], 1 << 59, 1, 1, ONE_PLACE)?).map(drop)),
    ("solve", |device| {
        let a = Batch::strided(&[1.0], 1 << 50, 2, 2, ONE_PLACE)?;
        device.solve(&a, &Batch::strided(&[1.0], 1 << 50, 2, 1, ONE_PLACE)?).map(drop)
    }),
    ("right-hand-sides", |device| {
        let a = Batch::strided(&[1.0], 1 << 30, 1, 1, ONE_PLACE)?;
        device.solve(&a, &Batch::strided(&[1.0], 1 << 30, 1, 1 << 21, ONE_PLACE)?).map(drop)
    }),
    ("empty", |device| device.lu(&Batch::<f64>::row_major(&[], usize::MAX, 0, 0)?).map(drop)),
    ("empty-lu", |device| device.lu(&Batch::<f64>::row_major(&[], 1 << 50, 0, 0)?).map(drop)),
    ("empty-invert", |device| device.invert(&Batch::<f64>::row_major(&[], 1 << 50, 0, 0)?).map(drop)),
    ("empty-det", |device| device.det(&Batch::<f64>::row_major(&[], 1 << 50, 0, 0)?).map(drop)),
    ("empty-solve", |device| {
        let a = Batch::<f64>::row_major(&[], 1 << 50, 0, 0)?;
        device.solve(&a, &Batch::row_major(&[], 1 << 50, 0, 1)?).map(drop)
    }),
    ("from-parts", |device| Lu::<f64>::from_parts(device, &Batch::row_major(&[], 1 << 50, 0, 0)?, &[]).map(drop)),
    ("columns", |device| device.lu(&Batch::<f64>::row_major(&[], 0, 3, usize::MAX)?).map(drop)),
    ("strides", |device| {
        let layout = Layout { batch_stride: 1 << 63, row_stride: 1 << 63, col_stride: 1 };
        device.lu(&Batch::strided(&[1.0; 9], 3, 3, 3, layout)?).map(drop)
    }),
    ("pinned", |device| device.pinned::<f64>(usize::MAX / 4).map(drop)),
    ("pinned-bytes", |device| device.pinned::<u8>(isize::MAX as usize).map(drop)),
];

/// One matrix of the largest order, which the system may promise memory for: more than a process can have in truth.
#[cfg(target_os = "linux")]
const LARGEST_ORDER: [Case; 4] = [
    ("largest-invert", |device| invert(device, 1, LARGEST)),
    ("largest-lu", |device| device.lu(&Batch::strided(&[1.0], 1, LARGEST, LARGEST, ONE_PLACE)?).map(drop)),
    ("largest-det", |device| device.det(&Batch::strided(&[1.0], 1, LARGEST, LARGEST, ONE_PLACE)?).map(drop)),
    ("largest-solve", |device| {
        let (a, b) = (Batch::strided(&[1.0], 1, LARGEST, LARGEST, ONE_PLACE)?, vec![1.0; LARGEST]);
        device.solve(&a, &Batch::row_major(&b, 1, LARGEST, 1)?).map(drop)
    }),
];

/// Calls by ranges.
const OUT_OF_CORE: [Case; 4] = [
    ("source", |device| device.det(&SourceBatch::<f64>::row_major(&Nowhere, usize::MAX, 3, 3)?).map(drop)),
    ("source-order", |device| device.det(&SourceBatch::<f64>::row_major(&Nowhere, 1, 1 << 32, 1 << 32)?).map(drop)),
    ("source-empty", |device| {
        let a = SourceBatch::<f64>::row_major(&Nowhere, 1 << 50, 0, 0)?;
        device.invert_into(&a, &mut SinkBatch::row_major(&Nowhere, 1 << 50, 0, 0)?).map(drop)
    }),
    ("source-factors", |device| {
        let (lu, b) =
            (SourceBatch::<f64>::row_major(&Nowhere, 1 << 50, 1, 1)?, SourceBatch::row_major(&Nowhere, 1 << 50, 1, 1)?);
        let x = SinkBatch::row_major(&Nowhere, 1 << 50, 1, 1)?;
        out_of_core::solve_from_factors(device, lu, &Nowhere, Op::None, b, x).map(drop)
    }),
];

/// Plans and device memory.
const RESIDENT: [Case; 18] = [
    ("plan-inverse", |device| InversePlan::<f32>::new(device, Size::order(u32::MAX as usize)).map(drop)),
    ("plan-lu", |device| LuPlan::<f32>::new(device, Size::order(1 << 30)).map(drop)),
    ("plan-lu-solve", |device| LuSolvePlan::<f32>::new(device, Size::order(1 << 30)).map(drop)),
    ("plan-lu-inverse", |device| LuInversePlan::<f32>::new(device, Size::order(1 << 32)).map(drop)),
    ("plan-solve", |device| SolvePlan::<f32>::new(device, Size::order(1 << 30)).map(drop)),
    ("plan-sides", |device| SolvePlan::<f32>::new(device, Size::order(4).rhs(1 << 32)).map(drop)),
    ("plan-det", |device| DetPlan::<f32>::new(device, Size::order(usize::MAX)).map(drop)),
    ("plan-of-largest-inverses", |device| {
        InversePlan::<f64>::new(device, Size::order(LARGEST).batch(1 << 30)).map(drop)
    }),
    ("plan-of-largest-systems", |device| {
        SolvePlan::<f64>::new(device, Size::order(LARGEST).batch(1 << 30).rhs(LARGEST)).map(drop)
    }),
    ("buffer", |device| device.buffer::<f64>(usize::MAX).map(drop)),
    ("buffer-61", |device| device.buffer::<f64>(1 << 61).map(drop)),
    ("buffer-bytes", |device| device.buffer::<u8>(isize::MAX as usize).map(drop)),
    ("buffer-55", |device| device.buffer::<u8>(1 << 55).map(drop)),
    ("pivots", |device| device.pivots(1 << 40, 1 << 40).map(drop)),
    ("pivots-of-none", |device| device.pivots(usize::MAX, 1).map(drop)),
    ("batch-of-order", |device| {
        DeviceBatch::strided(&device.upload(&[1.0])?, 1, 1 << 31, 1 << 31, ONE_PLACE).map(drop)
    }),
    ("statuses", |device| {
        let (none, mut status) = (device.upload::<f64>(&[])?, device.buffer(1)?);
        let a = DeviceBatch::row_major(&none, usize::MAX, 0, 0)?;
        let mut room = device.upload::<f64>(&[])?;
        let mut out = DeviceBatchMut::row_major(&mut room, usize::MAX, 0, 0)?;
        InversePlan::new(device, Size::order(0).batch(usize::MAX))?
            .run(&device.stream()?, of::Inverse { a: &a, inverse: &mut out, status: &mut status })
    }),
    ("output", |device| DeviceBatchMut::strided(&mut device.upload(&[1.0])?, usize::MAX, 1, 1, ONE_PLACE).map(drop)),
];

/// A source and a sink that are never asked.
struct Nowhere;

impl<T> Source<T> for Nowhere {
    fn read(&self, _first: usize, _to: &mut [T]) -> std::io::Result<()> {
        unreachable!("the sizes come first");
    }
}

impl<T> Sink<T> for Nowhere {
    fn write(&self, _first: usize, _from: &[T]) -> std::io::Result<()> {
        unreachable!("the sizes come first");
    }
}

fn invert(device: &Device, batch: usize, n: usize) -> Result<()> {
    device.invert(&Batch::strided(&[1.0_f64], batch, n, n, ONE_PLACE)?).map(drop)
}

/// Runs cases, each on both devices, in a process of their own, which must end well.
#[track_caller]
fn in_a_process(cases: &str) {
    let program = env::current_exe().unwrap();
    let mut child = Command::new(program);
    child.args(["--exact", "sizes::child", "--ignored", "--nocapture", "--test-threads=1"]).env(CASES, cases);
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{cases}: {}\n{text}", output.status);
}

#[test]
#[ignore = "run by the other tests, in processes of its own"]
fn child() {
    let cases = match env::var(CASES).unwrap().as_str() {
        "host" => &HOST[..],
        #[cfg(target_os = "linux")]
        "largest order" => &LARGEST_ORDER,
        "out of core" => &OUT_OF_CORE,
        "resident" => &RESIDENT,
        other => panic!("{other}"),
    };
    for device in [Device::cpu(), Device::sim()] {
        for (name, case) in cases {
            println!("{device} {name}"); // the last one, should the process end here
            match case(&device) {
                Err(error) => println!("    {error}"),
                Ok(()) => panic!("{device} {name} is no error"),
            }
        }
        // All is as it was.
        let inverse = device.invert(&Batch::row_major(&[2.0_f64], 1, 1, 1).unwrap()).unwrap();
        assert_eq!((inverse.matrices.as_slice(), &inverse.status[..]), (&[0.5][..], &[Status::Ok][..]));
    }
}

#[test]
fn of_calls_on_host_memory() {
    in_a_process("host");
}

#[test]
#[cfg(target_os = "linux")]
fn of_the_largest_order() {
    let promises = std::fs::read_to_string("/proc/sys/vm/overcommit_memory").unwrap_or_default();
    if promises.trim() != "1" {
        in_a_process("largest order");
    }
}

#[test]
fn of_calls_by_ranges() {
    in_a_process("out of core");
}

#[test]
fn of_plans() {
    in_a_process("resident");
}
