//! Several GPUs as one device.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use warplu::out_of_core::{Sink, SinkBatch, Source, SourceBatch};
use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
use warplu::{Batch, Device, Error, Op};
use warplu_tests::pretend::Pretend;

use super::bodies::identity;
use super::failures::fail_each_on;
use super::work::{BATCH, FEW_BYTES, N, Verb, numbers};

type Call = fn(&Device) -> Result<(), Error>;

/// The GPUs that have launched a kernel.
pub(crate) fn launched(pretend: &Pretend) -> BTreeSet<i32> {
    pretend.launches().iter().map(|launch| launch.device).collect()
}

/// Matrices whose first two readers wait for each other: each is a worker of another GPU, as a batch of few bytes has
/// one worker on each.
#[derive(Default)]
struct Met {
    readers: AtomicUsize,
}

impl Source<f64> for Met {
    fn read(&self, first: usize, to: &mut [f64]) -> io::Result<()> {
        self.readers.fetch_add(1, Ordering::SeqCst);
        let start = Instant::now();
        while self.readers.load(Ordering::SeqCst) < 2 {
            if start.elapsed() > Duration::from_secs(60) {
                return Err(io::Error::other("nobody else reads"));
            }
            thread::yield_now();
        }
        to.iter_mut().zip(first..).for_each(|(x, at)| *x = at as f64);
        Ok(())
    }
}

/// Where results are as if they were not.
struct Nowhere;

impl Sink<f64> for Nowhere {
    fn write(&self, _: usize, _: &[f64]) -> io::Result<()> {
        Ok(())
    }
}

fn invert_met(device: &Device) -> Result<(), Error> {
    let (met, batch) = (Met::default(), 100);
    let a = SourceBatch::row_major(&met, batch, N, N)?;
    device.invert_into(&a, &mut SinkBatch::row_major(&Nowhere, batch, N, N)?).map(drop)
}

#[test]
fn all_take_chunks_of_a_batch() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    for (device, gpus) in [
        (Device::cuda_list(&[0, 1]).unwrap(), &[0, 1][..]),
        (Device::cuda_list(&[1, 1]).unwrap(), &[1][..]),
        (Device::cuda_all().unwrap(), &[0, 1][..]),
        (Device::by_name("cuda:1,0").unwrap(), &[0, 1][..]),
    ] {
        let before = pretend.launches().len();
        invert_met(&device).unwrap();
        let new: BTreeSet<i32> = pretend.launches()[before..].iter().map(|launch| launch.device).collect();
        assert!(new.iter().eq(gpus), "{device}: {new:?}");
        let numbers = numbers();
        let inverse = device.invert(&Batch::row_major(&numbers, BATCH, N, N).unwrap()).unwrap();
        assert_eq!(inverse.matrices.as_slice(), numbers);
    }
    pretend.finish();
}

#[test]
fn names_are_those_of_the_gpus() {
    let pretend = Pretend::open();
    for (name, said, lines) in [
        ("cuda:0,1", "cuda:0,1", "cuda:0: Pretend 0, compute capability 9.0,|cuda:1: Pretend 1, "),
        ("cuda:all", "cuda:0,1", "cuda:0: Pretend 0,|cuda:1: Pretend 1,"),
        ("cuda:1,1", "cuda:1,1", "cuda:1: Pretend 1,|cuda:1: Pretend 1,"),
        ("cuda:1", "cuda:1", "Pretend 1,"),
        ("cuda", "cuda:0", "Pretend 0,"),
    ] {
        let device = Device::by_name(name).unwrap();
        assert_eq!(device.to_string(), said);
        let (said, wanted): (String, Vec<_>) = (device.info().to_string(), lines.split('|').collect());
        assert_eq!(said.lines().count(), wanted.len(), "{said}");
        assert!(said.lines().zip(wanted).all(|(line, wanted)| line.starts_with(wanted)), "{said}");
        assert_eq!(device.devices().len(), said.lines().count());
    }
    let error = Device::by_name("cuda:0,2").unwrap_err().to_string();
    assert!(error.contains("no GPU 2: this machine has 2"), "{error}");
    assert!(Device::cuda_list(&[]).is_err());
    pretend.set_devices(1);
    assert_eq!(Device::cuda_all().unwrap().to_string(), "cuda:0");
    pretend.finish();
}

#[test]
fn who_fails_is_named_and_the_others_stop() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    // In the midst of the work, and before any is taken.
    let (met, alone): (Call, Call) = (invert_met, |device| Verb::Invert.call(device));
    for (function, invert) in [
        ("cuLaunchKernel", met),
        ("cuMemcpyHtoDAsync_v2", met),
        ("cuModuleLoadDataEx", alone),
        ("cuStreamCreateWithPriority", alone),
    ] {
        for gpu in [0, 1] {
            let device = Device::cuda_list(&[0, 1]).unwrap();
            pretend.fail_function_on(gpu, function, 700);
            let calls: [Call; 2] = [invert, |device| Verb::Lu.call(device)];
            for call in calls {
                let error = call(&device).unwrap_err();
                let Error::OneOfSeveral { device: name, source } = &error else { panic!("{function}: {error}") };
                assert_eq!(*name, format!("cuda:{gpu}"), "{error}");
                let said = source.to_string();
                assert!(said.starts_with(function) && error.to_string() == format!("{name}: {said}"), "{error}");
            }
            pretend.fail_function_on(gpu, function, 0);
            // Once it is well again, so are the results.
            invert_met(&device).unwrap();
            drop(device);
            assert!(pretend.live().is_empty(), "{:?}", pretend.live());
        }
    }
    pretend.finish();
}

/// What is no GPU's fault is not said to be.
#[test]
fn a_source_that_fails_is_not_blamed_on_a_gpu() {
    struct Broken;
    impl Source<f64> for Broken {
        fn read(&self, _: usize, _: &mut [f64]) -> io::Result<()> {
            Err(io::Error::other("a torn tape"))
        }
    }
    let pretend = Pretend::open();
    let device = Device::cuda_all().unwrap();
    let a = SourceBatch::row_major(&Broken, 9, N, N).unwrap();
    let error = device.invert_into(&a, &mut SinkBatch::row_major(&Nowhere, 9, N, N).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::Io(_)) && error.to_string() == "a torn tape", "{error}");
    drop(device);
    pretend.finish();
}

#[test]
fn each_call_of_the_driver_may_fail() {
    let works: [Call; 3] = [
        |device| Verb::Invert.call(device),
        |device| Verb::Solve.call(device),
        |device| {
            let numbers = numbers();
            let a = Batch::row_major(&numbers, BATCH, N, N)?;
            let mut lu = device.lu(&a)?;
            lu.solve(&Batch::row_major(&numbers[..BATCH * N], BATCH, N, 1)?, Op::None).map(drop)?;
            lu.refactor(&a)?;
            assert_eq!(lu.factors()?.as_slice(), numbers);
            Ok(())
        },
    ];
    for gpus in [[0, 1], [0, 0]] {
        for work in works {
            fail_each_on(&gpus, FEW_BYTES, work);
        }
        fail_each_on(&gpus, 64 << 10, |device| Verb::Lu.call(device));
    }
}

/// The same kernels on all, those of the lowest compute capability.
#[test]
fn all_run_the_kernels_of_the_lowest() {
    let pretend = Pretend::open();
    pretend.set_capability(1, 80);
    let names = |device: &Device, gpu: i32| -> Vec<BTreeSet<String>> {
        let of = |n: usize| {
            let before = pretend.launches().len();
            let matrices = vec![1.0_f64; 4 * n * n];
            let lu = device.lu(&Batch::row_major(&matrices, 4, n, n).unwrap()).unwrap();
            drop(lu.inverse().unwrap());
            let new = &pretend.launches()[before..];
            new.iter().filter(|launch| launch.device == gpu).map(|launch| launch.name.clone()).collect()
        };
        [20, 40, 100, 130, 190, 300, 600].map(of).to_vec()
    };
    let both = Device::cuda_all().unwrap();
    assert_eq!(both.info().tier(), Some(80));
    let [first, second] = [0, 1].map(|gpu| names(&both, gpu));
    assert!(first.iter().all(|names| !names.is_empty()));
    assert_eq!(first, second);
    assert_eq!(second, names(&Device::cuda(1).unwrap(), 1));
    let alone = Device::cuda(0).unwrap();
    assert_eq!(alone.info().tier(), Some(90));
    assert_ne!(first, names(&alone, 0));
    drop((both, alone));
    pretend.finish();
}

#[test]
fn progress_counts_every_matrix_once() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    for limit in [FEW_BYTES, 64 << 10, 1 << 20] {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let device = Device::cuda_list(&[0, 1, 0]).unwrap().with_memory_limit(limit).with_progress(move |matrices| {
            counter.fetch_add(matrices, Ordering::Relaxed);
        });
        for verb in Verb::ALL {
            verb.call(&device).unwrap();
            assert_eq!(count.swap(0, Ordering::Relaxed), BATCH, "{verb:?}");
        }
    }
    pretend.finish();
}

/// What stays in memory is of one GPU, and not of another one.
#[test]
fn resident_work_is_of_one() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let both = Device::cuda_all().unwrap();
    for error in [
        both.buffer::<f64>(1).map(drop).unwrap_err(),
        both.stream().map(drop).unwrap_err(),
        both.pivots(1, 1).map(drop).unwrap_err(),
        InversePlan::<f64>::new(&both, Size::order(1)).map(drop).unwrap_err(),
        // SAFETY: refused before the address is used.
        unsafe { warplu::resident::DeviceBuffer::<f64>::from_raw(&both, 0, 0) }.map(drop).unwrap_err(),
        both.cust_context().map(drop).unwrap_err(),
    ] {
        let said = error.to_string();
        assert!(matches!(error, Error::Unsupported(_)) && said.contains("such as cuda:0"), "{said}");
    }
    let numbers = numbers();
    let made = both.devices().into_iter().map(|one| {
        let plan = InversePlan::<f64>::new(&one, Size::order(N).batch(BATCH)).unwrap();
        let (a, x) = (one.upload(&numbers).unwrap(), one.buffer::<f64>(numbers.len()).unwrap());
        (one.stream().unwrap(), plan, a, x, one.buffer::<i32>(BATCH).unwrap())
    });
    let [(stream, plan, a, mut x, mut status), (other_stream, other_plan, other_a, mut other_x, mut other_status)] =
        <[_; 2]>::try_from(made.collect::<Vec<_>>()).unwrap_or_else(|_| panic!("two"));
    {
        let [a, other_a] = [&a, &other_a].map(|a| DeviceBatch::row_major(a, BATCH, N, N).unwrap());
        let mut x = DeviceBatchMut::row_major(&mut x, BATCH, N, N).unwrap();
        let mut other_x = DeviceBatchMut::row_major(&mut other_x, BATCH, N, N).unwrap();
        plan.run(&stream, of::Inverse { a: &a, inverse: &mut x, status: &mut status }).unwrap();
        let operands = of::Inverse { a: &other_a, inverse: &mut other_x, status: &mut other_status };
        other_plan.run(&other_stream, operands).unwrap();
        for mixed in [
            plan.run(&stream, of::Inverse { a: &other_a, inverse: &mut x, status: &mut status }),
            plan.run(&other_stream, of::Inverse { a: &a, inverse: &mut x, status: &mut status }),
            plan.run(&stream, of::Inverse { a: &a, inverse: &mut other_x, status: &mut status }),
            plan.run(&stream, of::Inverse { a: &a, inverse: &mut x, status: &mut other_status }),
            other_plan.run(&stream, of::Inverse { a: &a, inverse: &mut x, status: &mut status }),
        ] {
            let error = mixed.unwrap_err().to_string();
            assert!(error.contains("of one device"), "{error}");
        }
    }
    assert_eq!((x.to_vec().unwrap(), other_x.to_vec().unwrap()), (numbers.clone(), numbers));
    assert_eq!(launched(&pretend), BTreeSet::from([0, 1]));
    drop((stream, plan, a, x, status));
    drop((other_stream, other_plan, other_a, other_x, other_status, both));
    pretend.finish();
}
