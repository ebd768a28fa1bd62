//! Streams and buffers of cust's, lent to warplu.

use std::ptr;

use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use cust::sys;
use warplu::resident::{CustScope, DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
use warplu::{Device, Error};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::identity;
use super::work::{BATCH, N, numbers};

const LEN: usize = BATCH * N * N;

/// What cust made of a batch.
struct Made {
    stream: Stream,
    a: DeviceBuffer<f64>,
    inverse: DeviceBuffer<f64>,
    status: DeviceBuffer<i32>,
}

impl Made {
    fn new() -> Self {
        Self {
            stream: Stream::new(StreamFlags::DEFAULT, None).unwrap(),
            a: DeviceBuffer::zeroed(LEN).unwrap(),
            inverse: DeviceBuffer::zeroed(LEN).unwrap(),
            status: DeviceBuffer::zeroed(BATCH).unwrap(),
        }
    }

    /// Enqueues the inversion of the batch, between two calls with the stream.
    fn invert<'scope, 'env>(
        &'env mut self,
        scope: &'scope CustScope<'scope, 'env>,
        plan: &InversePlan<f64>,
        before: impl FnOnce(sys::CUstream),
        after: impl FnOnce(sys::CUstream),
    ) -> Result<(), Error> {
        let raw = self.stream.as_inner();
        let stream = scope.stream(&self.stream)?;
        let (mut a, mut to) = (scope.write(&mut self.a)?, scope.write(&mut self.inverse)?);
        let mut status = scope.write(&mut self.status)?;
        stream.upload(&numbers(), &mut a)?;
        before(raw);
        let mut out = DeviceBatchMut::row_major(&mut to, BATCH, N, N)?;
        let operands =
            of::Inverse { a: &DeviceBatch::row_major(&a, BATCH, N, N)?, inverse: &mut out, status: &mut status };
        plan.run(&stream, operands)?;
        after(raw);
        Ok(())
    }
}

/// Has this thread without a context, as it was before cust's.
fn unbind() {
    // SAFETY: no context may be made current at any time.
    let code = unsafe { sys::cuCtxSetCurrent(ptr::null_mut()) };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
}

#[test]
fn a_scope_ends_when_the_work_is_done() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    cust::init(cust::CudaFlags::empty()).unwrap();
    let device = Device::cuda(0).unwrap();
    let context = device.cust_context().unwrap();
    let mut made = Made::new();
    let plan = InversePlan::<f64>::new(&device, Size::order(N).batch(BATCH)).unwrap();
    device.cust_scope(|scope| made.invert(scope, &plan, |_| (), |_| ())).unwrap();
    assert_eq!(pretend.count(Count::Queued), 0);
    let back = device.cust_scope(|scope| scope.read(&made.inverse)?.to_vec()).unwrap();
    assert_eq!(back, numbers());
    // The plan, which has worked in the stream, outlives it.
    drop(made);
    drop((plan, device));
    drop(context);
    unbind();
    pretend.finish();
}

#[test]
fn what_a_plan_enqueues_is_captured_and_replayed() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let device = Device::cuda(0).unwrap();
    let context = device.cust_context().unwrap();
    let (mut made, mut graph, mut executable) = (Made::new(), ptr::null_mut(), ptr::null_mut());
    let plan = InversePlan::<f64>::new(&device, Size::order(N).batch(BATCH)).unwrap();
    let begin = |stream| {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
        // SAFETY: the stream is alive.
        assert_eq!(unsafe { sys::cuStreamBeginCapture_v2(stream, mode) }, sys::CUresult::CUDA_SUCCESS);
    };
    let end = |stream| {
        // SAFETY: as above; writes one pointer.
        assert_eq!(unsafe { sys::cuStreamEndCapture(stream, &mut graph) }, sys::CUresult::CUDA_SUCCESS);
    };
    device.cust_scope(|scope| made.invert(scope, &plan, begin, end)).unwrap();
    let captured = pretend.count(Count::Launches);
    // SAFETY: the graph's memory and the stream are alive until it is destroyed.
    unsafe {
        assert_eq!(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0), sys::CUresult::CUDA_SUCCESS);
        for _ in 0..3 {
            assert_eq!(sys::cuGraphLaunch(executable, made.stream.as_inner()), sys::CUresult::CUDA_SUCCESS);
        }
        made.stream.synchronize().unwrap();
        assert_eq!(sys::cuGraphExecDestroy(executable), sys::CUresult::CUDA_SUCCESS);
        assert_eq!(sys::cuGraphDestroy(graph), sys::CUresult::CUDA_SUCCESS);
    }
    assert_eq!(pretend.count(Count::Launches) - captured, 3);
    drop(made);
    drop((plan, device));
    drop(context);
    unbind();
    pretend.finish();
}

#[test]
fn what_is_of_another_gpu_is_refused() {
    let pretend = Pretend::open();
    let [device, other] = [0, 1].map(|ordinal| Device::cuda(ordinal).unwrap());
    let context = other.cust_context().unwrap();
    let made = Made::new();
    let refused = |error: Error| assert!(error.to_string().contains("primary context"), "{error}");
    device
        .cust_scope(|scope| {
            refused(scope.stream(&made.stream).map(drop).unwrap_err());
            refused(scope.read(&made.a).map(drop).unwrap_err());
            Ok::<_, Error>(())
        })
        .unwrap();
    other.cust_scope(|scope| scope.read(&made.a).map(|a| assert!(a.cust_pointer().is_some()))).unwrap();
    drop(made);
    drop((device, other));
    drop(context);
    unbind();
    pretend.finish();
}
