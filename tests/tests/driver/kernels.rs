//! Kernels of the caller's beside warplu's: launches, the order of work, modules that outlive it, failures.

use std::ffi::{CStr, c_char};

use warplu::resident::{
    DeviceBatch, DeviceBatchMut, DeviceBuffer, Grid, InversePlan, Kernel, Module, Operands, Size, Stream, of,
};
use warplu::{Device, Error};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::identity;
use super::work::{BATCH, N, numbers};

const PTX: &str = ".version 7.0\n.target sm_80\n.address_size 64\n\
                   .visible .entry double(.param .align 8 .b8 double_param_0[16])\n{\n\tret;\n}\n\
                   .visible .entry other(.param .align 8 .b8 other_param_0[16])\n{\n\tret;\n}\n";

/// The argument of the kernels.
#[derive(Clone, Copy)]
#[repr(C)]
struct Double {
    x: u64,
    n: u64,
}

/// What runs on other devices than GPUs.
unsafe fn double(_: Double) {
    unreachable!("a GPU runs the PTX");
}

/// Doubles what the kernel's argument names, and lets warplu's kernels pass on what they get.
extern "C" fn body(name: *const c_char, parameters: *const u8) {
    // SAFETY: the driver's string, and the argument of this kernel, whose memory is there.
    unsafe {
        match CStr::from_ptr(name).to_bytes() {
            b"double" => {
                let Double { x, n } = *parameters.cast::<Double>();
                let first: *mut f64 = std::ptr::with_exposed_provenance_mut(x as usize);
                (0..n as usize).for_each(|i| *first.add(i) *= 2.0);
            }
            _ => identity(name, parameters),
        }
    }
}

fn load(device: &Device) -> Result<Module, Error> {
    // SAFETY: nobody compiles it.
    unsafe { Module::load(device, PTX) }
}

fn launch(kernel: &Kernel<Double>, stream: &Stream, grid: Grid, x: &mut DeviceBuffer<f64>) -> Result<(), Error> {
    let args = Double { x: x.address(), n: x.len() as u64 };
    // SAFETY: the argument names the operand.
    unsafe { kernel.launch(stream, grid, args, Operands::new().writes(x)) }
}

#[test]
fn a_kernel_works_between_a_copy_and_a_plan() {
    let pretend = Pretend::open();
    pretend.set_body(Some(body));
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let kernel = load(&device).unwrap().kernel("double", double).unwrap();
    let plan = InversePlan::<f64>::new(&device, Size::order(N).batch(BATCH)).unwrap();
    let mut a = device.buffer(BATCH * N * N).unwrap();
    let (mut inverse, mut status) = (device.buffer(BATCH * N * N).unwrap(), device.buffer(BATCH).unwrap());
    stream.upload(&numbers(), &mut a).unwrap();
    pretend.begin_trace();
    launch(&kernel, &stream, Grid::new(7, 96).shared_bytes(100), &mut a).unwrap();
    let mut out = DeviceBatchMut::row_major(&mut inverse, BATCH, N, N).unwrap();
    let operands =
        of::Inverse { a: &DeviceBatch::row_major(&a, BATCH, N, N).unwrap(), inverse: &mut out, status: &mut status };
    plan.run(&stream, operands).unwrap();
    assert!(!pretend.trace().iter().any(|call| call.contains("Event")), "one stream needs no marks");
    let launches = pretend.launches();
    let own = launches.iter().find(|launch| launch.name == "double").unwrap();
    assert_eq!((own.grid, own.block, own.cluster, own.shared_bytes), ([7, 1, 1], [96, 1, 1], 1, 100));
    assert_eq!(own.parameters[8..], ((BATCH * N * N) as u64).to_ne_bytes());
    let doubled: Vec<f64> = numbers().iter().map(|x| 2.0 * x).collect();
    assert_eq!(inverse.to_vec().unwrap(), doubled);
    drop((a, inverse, status, plan, kernel, stream, device));
    pretend.finish();
}

#[test]
fn a_module_stays_until_its_work_is_done() {
    let pretend = Pretend::open();
    pretend.set_body(Some(body));
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let module = load(&device).unwrap();
    let (kernel, other) = (module.kernel("double", double).unwrap(), module.kernel("other", double).unwrap());
    drop(module);
    let [mut a, mut b] = [1.0, 3.0].map(|x| device.upload(&[x; 10]).unwrap());
    let modules = pretend.count(Count::Modules);
    launch(&kernel, &one, Grid::new(1, 32), &mut a).unwrap();
    launch(&kernel, &two, Grid::new(1, 32), &mut b).unwrap();
    assert_eq!(pretend.count(Count::Queued), 2);
    // The driver notes a fault if a module is unloaded whose kernels are queued.
    drop(kernel);
    assert_eq!((pretend.count(Count::Queued), pretend.count(Count::Modules)), (0, modules));
    drop(other);
    assert_eq!(pretend.count(Count::Modules), modules - 1);
    assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (vec![2.0; 10], vec![6.0; 10]));
    drop((a, b, one, two, device));
    pretend.finish();
}

#[test]
fn other_streams_wait_for_a_kernel() {
    let pretend = Pretend::open();
    pretend.set_body(Some(body));
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let kernel = load(&device).unwrap().kernel("double", double).unwrap();
    let (mut a, mut b) = (device.upload(&[1.0; 10]).unwrap(), device.buffer(10).unwrap());
    launch(&kernel, &one, Grid::new(1, 32), &mut a).unwrap();
    pretend.begin_trace();
    two.copy(&a, &mut b).unwrap();
    let marks = ["cuEventRecord", "cuStreamWaitEvent"];
    assert!(marks.iter().all(|mark| pretend.trace().iter().any(|call| call == mark)));
    // That a kernel runs in two streams orders them by nothing but its operands.
    let mut c = device.upload(&[1.0; 10]).unwrap();
    pretend.begin_trace();
    launch(&kernel, &two, Grid::new(1, 32), &mut c).unwrap();
    assert!(!pretend.trace().iter().any(|call| marks.contains(&call.as_str())), "{:?}", pretend.trace());
    two.synchronize().unwrap();
    assert_eq!(b.to_vec().unwrap(), [2.0; 10]);
    drop((a, b, c, kernel, one, two, device));
    pretend.finish();
}

#[test]
fn large_shared_memory_is_asked_for_and_empty_grids_are_not_launched() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let kernel = load(&device).unwrap().kernel("double", double).unwrap();
    let mut a = device.upload(&[1.0; 10]).unwrap();
    launch(&kernel, &stream, Grid::new(2, 32).clusters_of(2).shared_bytes(60 << 10), &mut a).unwrap();
    launch(&kernel, &stream, Grid::new(0, 32), &mut a).unwrap();
    let error = launch(&kernel, &stream, Grid::new(1, 32).shared_bytes(1 << 20), &mut a).unwrap_err();
    assert!(matches!(&error, Error::Shape(text) if text.contains("shared memory")), "{error}");
    let launches = pretend.launches();
    assert_eq!(launches.len(), 1);
    assert_eq!((launches[0].cluster, launches[0].shared_bytes), (2, 60 << 10));
    drop((a, kernel, stream, device));
    pretend.finish();
}

#[test]
fn what_does_not_fit_is_refused_before_the_driver_sees_it() {
    let pretend = Pretend::open();
    pretend.set_capability(0, 75);
    let [device, other] = [0, 1].map(|ordinal| Device::cuda(ordinal).unwrap());
    let error = load(&device).unwrap_err().to_string();
    assert!(error.contains("sm_80") && error.contains("7.5"), "{error}");
    assert_eq!(pretend.count(Count::Modules), 0);

    let kernel = load(&other).unwrap().kernel("double", double).unwrap();
    let mut a = device.upload(&[1.0; 10]).unwrap();
    for stream in [&device, &other].map(|device| device.stream().unwrap()) {
        let error = launch(&kernel, &stream, Grid::new(1, 32), &mut a).unwrap_err();
        assert!(error.to_string().contains("of different ones"), "{error}");
    }
    assert_eq!(pretend.count(Count::Launches), 0);
    drop((a, kernel, device, other));
    pretend.finish();
}

#[test]
fn the_drivers_errors_come_back_and_nothing_stays() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    pretend.fail_function("cuModuleLoadDataEx", 218);
    assert!(load(&device).unwrap_err().to_string().contains("does not take the kernels"));
    pretend.fail_function("cuModuleLoadDataEx", 0);
    let module = load(&device).unwrap();
    pretend.fail_function("cuModuleGetFunction", 500);
    assert!(module.kernel("double", double).unwrap_err().to_string().contains("cuModuleGetFunction"));
    pretend.fail_function("cuModuleGetFunction", 0);
    let kernel = module.kernel("double", double).unwrap();
    let mut a = device.upload(&[1.0; 10]).unwrap();
    pretend.fail_function("cuLaunchKernel", 701);
    assert!(launch(&kernel, &stream, Grid::new(1, 32), &mut a).unwrap_err().to_string().contains("(701)"));
    pretend.fail_function("cuLaunchKernel", 0);
    launch(&kernel, &stream, Grid::new(1, 32), &mut a).unwrap();
    drop((a, module, kernel, stream, device));
    pretend.finish();
}
