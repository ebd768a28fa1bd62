//! The resident API: the order of work, across streams, buffers and threads.

use std::thread;

use warplu::resident::{
    DetPlan, DeviceBatch, DeviceBatchMut, DeviceBuffer, InversePlan, LuDetPlan, LuInversePlan, LuPlan, LuSolvePlan,
    Size, SolvePlan, Stream, of,
};
use warplu::{Device, Error, Op};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::identity;

/// How many marks are set and waited for since the trace began.
fn marks(pretend: &Pretend) -> [usize; 2] {
    let trace = pretend.trace();
    ["cuEventRecord", "cuStreamWaitEvent"].map(|name| trace.iter().filter(|call| *call == name).count())
}

fn three_buffers(device: &Device) -> [DeviceBuffer<f64>; 3] {
    [1.0, 2.0, 3.0].map(|x| device.upload(&[x; 100]).unwrap())
}

#[test]
fn a_stream_waits_for_another_that_wrote() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let [a, mut b, mut c] = three_buffers(&device);
    pretend.begin_trace();
    one.copy(&a, &mut b).unwrap();
    assert_eq!(marks(&pretend), [0, 0]);
    two.copy(&b, &mut c).unwrap();
    assert_eq!(marks(&pretend), [1, 1]);
    // Nobody waits for the first: that the second does makes it right.
    two.synchronize().unwrap();
    let mut got = [0.0; 100];
    two.download(&c, &mut got).unwrap();
    assert_eq!(got, [1.0; 100]);
    drop((a, b, c, one, two, device));
    pretend.finish();
}

#[test]
fn a_stream_waits_for_another_that_reads_what_it_writes() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let [mut a, mut b, c] = three_buffers(&device);
    pretend.begin_trace();
    one.copy(&a, &mut b).unwrap();
    two.copy(&c, &mut a).unwrap();
    assert_eq!(marks(&pretend), [1, 1]);
    two.synchronize().unwrap();
    one.synchronize().unwrap();
    assert_eq!(b.to_vec().unwrap(), [1.0; 100]);
    drop((a, b, c, one, two, device));
    pretend.finish();
}

#[test]
fn nobody_waits_who_need_not() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let [a, mut b, mut c] = three_buffers(&device);
    pretend.begin_trace();
    // On one stream, whatever is done.
    one.copy(&a, &mut b).unwrap();
    one.copy(&b, &mut c).unwrap();
    one.copy(&a, &mut c).unwrap();
    // After a wait of the host.
    one.synchronize().unwrap();
    two.copy(&c, &mut b).unwrap();
    two.synchronize().unwrap();
    // Two that read.
    one.copy(&a, &mut b).unwrap();
    two.copy(&a, &mut c).unwrap();
    assert_eq!(marks(&pretend), [0, 0], "{:#?}", pretend.trace());
    drop((a, b, c, one, two, device));
    pretend.finish();
}

#[test]
fn what_is_dropped_with_work_in_flight_waits_for_it() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let n = 600;
    for order in 0..4 {
        let stream = device.stream().unwrap();
        let a = device.upload(&vec![1.0; 2 * n * n]).unwrap();
        let (mut out, mut status) = (device.buffer(2 * n * n).unwrap(), device.buffer(2).unwrap());
        let plan = InversePlan::<f64>::new(&device, Size::order(n).batch(2)).unwrap();
        assert!(plan.bytes() > 0, "it has memory of its own");
        let batch = DeviceBatch::row_major(&a, 2, n, n).unwrap();
        let operands = of::Inverse {
            a: &batch,
            inverse: &mut DeviceBatchMut::row_major(&mut out, 2, n, n).unwrap(),
            status: &mut status,
        };
        plan.run(&stream, operands).unwrap();
        assert!(pretend.count(Count::Queued) > 0);
        match order {
            0 => drop((plan, a, out, status, stream)),
            1 => drop((stream, status, out, a, plan)),
            2 => drop((out, plan, stream, a, status)),
            _ => drop((a, stream, plan, status, out)),
        }
        assert_eq!(pretend.faults(), [""; 0], "order {order}");
    }
    drop(device);
    pretend.finish();
}

#[test]
fn copies_of_the_host_wait_for_work_on_the_buffer() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let [mut a, mut b, _] = three_buffers(&device);
    stream.copy(&a, &mut b).unwrap();
    a.copy_from(&[7.0; 100]).unwrap();
    assert_eq!(b.to_vec().unwrap(), [1.0; 100], "as it was when the stream got it");
    stream.copy(&a, &mut b).unwrap();
    assert_eq!(b.to_vec().unwrap(), [7.0; 100], "the stream has filled it");
    drop((a, b, stream, device));
    pretend.finish();
}

/// A thread that waits for a stream while another enqueues in it: what is dropped then is not yet done, and is waited
/// for.
#[test]
fn threads_share_a_stream() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let a = device.upload(&[1.0; 10]).unwrap();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    let mut b = device.buffer(10).unwrap();
                    stream.copy(&a, &mut b).unwrap();
                }
            });
        }
        scope.spawn(|| (0..4000).for_each(|_| stream.synchronize().unwrap()));
    });
    drop((a, stream, device));
    pretend.finish();
}

/// What a device has for each plan.
struct Things {
    device: Device,
    stream: Stream,
}

impl Things {
    fn new(ordinal: u32) -> Self {
        let device = Device::cuda(ordinal).unwrap();
        let stream = device.stream().unwrap();
        Self { device, stream }
    }
}

fn foreign(result: Result<(), Error>, what: &str) {
    let error = result.expect_err(what).to_string();
    assert!(error.contains("of one device"), "{what}: {error}");
}

/// Runs every plan with its matrices, its outputs, its status or its stream of the other device, each by turns.
#[test]
fn devices_do_not_mix() {
    let pretend = Pretend::open();
    let own = Things::new(0);
    let other = Things::new(1);
    let n = 4;
    pretend.begin_trace();
    for foreign_one in 0..4 {
        let of = |which: usize| if which == foreign_one { &other.device } else { &own.device };
        let stream = if foreign_one == 3 { &other.stream } else { &own.stream };
        let what = format!("argument {foreign_one}");
        let a = of(0).buffer::<f64>(n * n).unwrap();
        let (mut x, mut status) = (of(1).buffer::<f64>(n * n).unwrap(), of(2).buffer::<i32>(1).unwrap());
        let (mut det, mut sign) = (of(1).buffer::<f64>(1).unwrap(), of(1).buffer::<f64>(1).unwrap());
        let mut log = own.device.buffer::<f64>(1).unwrap();
        let (mut pivots, good_pivots) = (of(2).pivots(1, n).unwrap(), own.device.pivots(1, n).unwrap());
        let mut own_status = own.device.buffer::<i32>(1).unwrap();
        let a = DeviceBatch::row_major(&a, 1, n, n).unwrap();
        let (mut x, device) = (DeviceBatchMut::row_major(&mut x, 1, n, n).unwrap(), &own.device);
        let (size, says) = (Size::order(n).rhs(n), |done| foreign(done, &what));
        let plan = InversePlan::new(device, size).unwrap();
        says(plan.run(stream, of::Inverse { a: &a, inverse: &mut x, status: &mut status }));
        let plan = SolvePlan::new(device, size).unwrap();
        says(plan.run(stream, of::Solve { a: &a, b: &a, x: &mut x, status: &mut status }));
        let (values, sign, log_abs) = (&mut det, &mut sign, &mut log);
        let plan = DetPlan::new(device, size).unwrap();
        let det =
            of::Det { a: &a, values: &mut *values, sign: &mut *sign, log_abs: &mut *log_abs, status: &mut status };
        says(plan.run(stream, det));
        let plan = LuPlan::new(device, size).unwrap();
        says(plan.run(stream, of::Lu { a: &a, lu: &mut x, pivots: &mut pivots, status: &mut own_status }));
        let (lu, b, lu_status, pivots, op) = (&a, &a, &own_status, &pivots, Op::None);
        let plan = LuSolvePlan::new(device, size).unwrap();
        says(plan.run(stream, of::LuSolve { lu, pivots, lu_status, op, b, x: &mut x, status: &mut status }));
        let plan = LuInversePlan::new(device, size).unwrap();
        let pivots = &good_pivots;
        says(plan.run(stream, of::LuInverse { lu, pivots, lu_status, inverse: &mut x, status: &mut status }));
        if foreign_one != 2 {
            let plan = LuDetPlan::<f64>::new(device, size).unwrap();
            says(plan.run(stream, of::LuDet { lu, pivots, lu_status, values, sign, log_abs }));
        }
    }
    let (here, mut there) = (own.device.buffer::<f64>(3).unwrap(), other.device.buffer::<f64>(3).unwrap());
    foreign(own.stream.copy(&here, &mut there), "a copy to the other");
    foreign(other.stream.copy(&here, &mut there), "a copy from the other");
    foreign(own.stream.upload(&[1.0; 3], &mut there), "an upload");
    foreign(own.stream.download(&there, &mut [0.0; 3]), "a download");
    let mut mark = other.stream.record().unwrap();
    foreign(own.stream.wait(&mark), "a mark");
    foreign(own.stream.record_again(&mut mark), "a mark to move");
    assert_eq!(pretend.count(Count::Launches), 0);
    let trace = pretend.trace();
    assert!(!trace.iter().any(|call| call.starts_with("cuMemcpy") || call == "cuStreamWaitEvent"), "{trace:#?}");
    drop((here, there, mark, own, other));
    pretend.finish();
}

/// The functions for graphs, which warplu does not call itself. Streams, graphs and executable graphs are addresses.
struct Graphs {
    begin: extern "C" fn(usize, u32) -> u32,
    end: extern "C" fn(usize, &mut usize) -> u32,
    instantiate: extern "C" fn(&mut usize, usize, u64) -> u32,
    launch: extern "C" fn(usize, usize) -> u32,
    destroy: extern "C" fn(usize) -> u32,
    destroy_executable: extern "C" fn(usize) -> u32,
}

impl Graphs {
    fn of(pretend: &Pretend) -> Self {
        // SAFETY: the types are those of the driver's functions.
        unsafe {
            Self {
                begin: pretend.function("cuStreamBeginCapture_v2"),
                end: pretend.function("cuStreamEndCapture"),
                instantiate: pretend.function("cuGraphInstantiateWithFlags"),
                launch: pretend.function("cuGraphLaunch"),
                destroy: pretend.function("cuGraphDestroy"),
                destroy_executable: pretend.function("cuGraphExecDestroy"),
            }
        }
    }
}

/// The mode in which nobody may make calls that a capture does not stand.
const GLOBAL: u32 = 0;

#[test]
fn a_plan_runs_in_a_capture_and_again_in_its_graph() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let graphs = Graphs::of(&pretend);
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let raw = stream.raw().unwrap().addr();
    let mut a = device.upload(&[1.0; 9]).unwrap();
    let (mut out, mut status) = (device.upload(&[0.0; 9]).unwrap(), device.buffer(1).unwrap());
    let plan = InversePlan::<f64>::new(&device, Size::order(3)).unwrap();
    let mut run = |a: &DeviceBuffer<f64>, out: &mut DeviceBuffer<f64>| {
        let out = &mut DeviceBatchMut::row_major(out, 1, 3, 3).unwrap();
        let operands =
            of::Inverse { a: &DeviceBatch::row_major(a, 1, 3, 3).unwrap(), inverse: out, status: &mut status };
        plan.run(&stream, operands).unwrap();
    };
    run(&a, &mut out); // and again, as a warm-up is usual
    stream.synchronize().unwrap();
    out.copy_from(&[0.0; 9]).unwrap();
    assert_eq!(stream.with_context(|| (graphs.begin)(raw, GLOBAL)).unwrap(), 0);
    pretend.begin_trace();
    run(&a, &mut out);
    let allowed = ["cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuLaunchKernel"];
    let trace = pretend.trace();
    assert!(trace.iter().all(|call| allowed.contains(&call.as_str())), "{trace:?}");
    let (mut graph, mut executable) = (0, 0);
    assert_eq!(stream.with_context(|| (graphs.end)(raw, &mut graph)).unwrap(), 0);
    assert_eq!(stream.with_context(|| (graphs.instantiate)(&mut executable, graph, 0)).unwrap(), 0);
    assert_eq!(out.to_vec().unwrap(), [0.0; 9], "nothing has run yet");
    for x in [5.0, 6.0] {
        a.copy_from(&[x; 9]).unwrap();
        assert_eq!(stream.with_context(|| (graphs.launch)(executable, raw)).unwrap(), 0);
        stream.synchronize().unwrap();
        assert_eq!(out.to_vec().unwrap(), [x; 9]);
    }
    stream.with_context(|| ((graphs.destroy)(graph), (graphs.destroy_executable)(executable))).unwrap();
    drop((plan, a, out, status, stream, device));
    pretend.finish();
}

#[test]
fn memory_that_a_capture_holds_up_is_freed_later() {
    let pretend = Pretend::open();
    let graphs = Graphs::of(&pretend);
    let device = Device::cuda(0).unwrap();
    let (stream, captured) = (device.stream().unwrap(), device.stream().unwrap());
    let raw = captured.raw().unwrap().addr();
    let [a, mut b, _] = three_buffers(&device);
    let pinned = device.pinned::<f64>(10).unwrap();
    let (mut one, mut other) = (vec![1.0; 10], vec![2.0; 10]);
    let (registered, kept) = (device.pin(&mut one).unwrap(), device.pin(&mut other).unwrap());
    let locked = kept.as_ptr();
    stream.copy(&a, &mut b).unwrap();
    stream.synchronize().unwrap();
    let counts = || [Count::DeviceMemory, Count::Pinned, Count::Registered].map(|kind| pretend.count(kind));
    let before = counts();
    assert_eq!(captured.with_context(|| (graphs.begin)(raw, GLOBAL)).unwrap(), 0);
    drop((a, b, pinned, registered));
    let vector = kept.into_vec();
    assert_eq!(counts(), before, "the driver refuses");
    assert!(vector == [2.0; 10] && vector.as_ptr() != locked, "a copy: the memory is locked still");
    // Such a capture is spoilt, which is what a driver does.
    captured.with_context(|| (graphs.end)(raw, &mut 0)).unwrap();
    let next = device.buffer::<u8>(1).unwrap();
    assert_eq!(counts(), [before[0] - 2 + 1, before[1] - 1, 0]);
    drop((next, stream, captured, device));
    pretend.finish();
}
