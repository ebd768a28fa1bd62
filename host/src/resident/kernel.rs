//! Kernels of the caller's.

use std::fmt;
use std::sync::Arc;

use simt::cpu::{self, MAX_SHARED_BYTES};

use super::grid::Grid;
use super::operands::Operands;
use super::stream::Stream;
use super::uses::{Access, Allocation};
use crate::backend::{Backend, Queue, foreign};
use crate::cuda;
use crate::error::Result;

/// A kernel of the caller's, of a [`Module`](super::Module), with an argument of type `A`.
pub struct Kernel<A> {
    // Waits for its launches, so it goes before the code.
    work: Arc<Allocation>,
    code: Code,
    function: unsafe fn(A),
    name: Box<str>,
}

/// What a launch runs.
#[derive(Debug)]
pub(super) enum Code {
    /// The function, in the emulator.
    Host,
    Cuda(cuda::Function),
}

impl<A> fmt::Debug for Kernel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name).field("code", &self.code).finish_non_exhaustive()
    }
}

impl<A: Copy + Send + Sync + 'static> Kernel<A> {
    pub(super) fn new(work: Arc<Allocation>, code: Code, function: unsafe fn(A), name: &str) -> Self {
        Self { work, code, function, name: name.into() }
    }

    /// Enqueues the kernel, with one argument. On the CPU and in the emulator it is done at once, every access checked;
    /// on the CPU the emulator works on copies of the operands, which is for tests and small work, not for speed.
    ///
    /// ```
    /// use simt::global::Global;
    /// use warplu::resident::{DeviceBatchMut, Grid, InPlace, InversePlan, Module, Operands, Size, of};
    ///
    /// #[derive(Clone, Copy)]
    /// #[repr(C)]
    /// struct Shift {
    ///     a: Global<f64>, // shape (batch, 2, 2)
    ///     by: f64,
    /// }
    ///
    /// // A block a matrix, a thread an element of its diagonal.
    /// simt::kernels! {
    ///     fn shift(args: Shift) {
    ///         let at = 4 * i64::from(simt::block::index()) + 3 * i64::from(simt::thread::index());
    ///         args.a.store(at, args.a.load(at) + args.by);
    ///     }
    /// }
    ///
    /// # const PTX: &str = ".version 7.0\n.target sm_70\n.visible .entry shift(.param .align 8 .b8 x[16]) {}";
    /// let device = warplu::Device::cpu();
    /// let (stream, mut a) = (device.stream()?, device.upload(&[3.0, 2.0, 2.0, 1.0])?);
    /// // SAFETY: PTX is what warplu-simt-build made of the kernel.
    /// let kernel = unsafe { Module::load(&device, PTX)? }.kernel("shift", shift)?;
    /// // SAFETY: the kernel uses both elements of the diagonal of each matrix in the buffer.
    /// unsafe {
    ///     let args = Shift { a: Global::new(a.address()), by: 1.0 };
    ///     kernel.launch(&stream, Grid::new(1, 2), args, Operands::new().writes(&mut a))?;
    /// }
    /// let mut status = device.buffer::<i32>(1)?;
    /// let plan = InversePlan::<f64>::new(&device, Size::order(2))?;
    /// let mut inverse = DeviceBatchMut::row_major(&mut a, 1, 2, 2)?;
    /// plan.run(&stream, of::Inverse { a: InPlace, inverse: &mut inverse, status: &mut status })?;
    /// assert_eq!(a.to_vec()?, [0.5, -0.5, -0.5, 1.0]); // of [4 2; 2 2]
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Safety
    /// The PTX is the function's. The launch is such as the kernel is written for: all memory that it reads and writes
    /// is that of the operands, within their bounds, and it has no data races.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a grid that the device cannot have, or a stream or operands of another
    /// device; [`Error::Kernel`](crate::Error::Kernel) for a fault that the emulator found, and then the CPU's memory
    /// is as it was; the driver's errors.
    pub unsafe fn launch(&self, stream: &Stream, grid: Grid, argument: A, operands: Operands<'_>) -> Result<()> {
        let (work, Operands(operands)) = (stream.work(), operands);
        let backend = &self.work.backend;
        if !work.backend.is(backend) || operands.iter().any(|(own, _)| !own.backend.is(backend)) {
            return Err(foreign());
        }
        grid.check(match backend {
            Backend::Cuda(cuda) => cuda.gpu.max_shared_bytes(),
            Backend::Cpu | Backend::Sim(_) => MAX_SHARED_BYTES,
        })?;
        let Grid { blocks, threads, cluster, shared_bytes } = grid;
        if blocks == 0 {
            return Ok(());
        }
        let _turn = work.turn();
        for &(own, access) in operands.iter().chain([&(&self.work, Access::Read)]) {
            own.enter(work, access)?;
        }
        match (&self.code, &work.queue) {
            (Code::Cuda(function), Queue::Cuda(queue)) => {
                function.set_max_shared_bytes(shared_bytes)?;
                // SAFETY: the parameter was compared with the PTX; the rest is the caller's promise.
                unsafe { queue.launch(function, blocks, cluster, threads, shared_bytes, &argument)? };
                Ok(())
            }
            (Code::Host, Queue::Host) => {
                let kernel = &self.name;
                let launch = cpu::Launch { kernel, grid: blocks, cluster, block: threads, shared_bytes, seed: 0 };
                let memories: Vec<_> =
                    operands.iter().map(|(own, access)| (&own.memory, *access == Access::Write)).collect();
                // SAFETY: the caller's promise, of the operands, and of the function.
                unsafe { backend.emulate(launch, &memories, || (self.function)(argument)) }
            }
            _ => Err(foreign()),
        }
    }
}

#[cfg(test)]
mod tests {
    use simt::global::Global;
    use simt::{block, thread};

    use super::*;
    use crate::device::Device;
    use crate::error::Error;
    use crate::resident::{DeviceBuffer, Module};

    const PTX: &str = ".version 7.0\n.target sm_70\n.visible .entry add(.param .align 8 .b8 add_param_0[24])\n{}\n";

    /// y += x for `n` elements.
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Add {
        x: Global<f64>,
        y: Global<f64>,
        n: u64,
    }

    simt::kernels! {
        fn add(args: Add) {
            let i = i64::from(block::index() * block::dim() + thread::index());
            if i < args.n as i64 {
                args.y.store(i, args.y.load(i) + args.x.load(i));
            }
        }

        /// Which forgets its block.
        fn racy(args: Add) {
            let i = i64::from(thread::index());
            args.y.store(i, args.y.load(i) + args.x.load(i));
        }
    }

    /// Adds 1, 2, ... to as many elements, by a kernel that says how many there are.
    fn run(device: &Device, function: unsafe fn(Add), y: &mut DeviceBuffer<f64>, n: usize) -> Result<()> {
        let x: Vec<f64> = (1..=n).map(|i| i as f64).collect();
        let (x, stream) = (device.upload(&x)?, device.stream()?);
        // SAFETY: no driver sees the PTX; what the kernels do wrong, the emulator says.
        unsafe {
            let args = Add { x: Global::new(x.address()), y: Global::new(y.address()), n: n as u64 };
            let kernel = Module::load(device, PTX)?.kernel("add", function)?;
            kernel.launch(&stream, Grid::covering(n, 32)?, args, Operands::new().reads(&x).writes(y))
        }
    }

    #[test]
    fn without_a_gpu_the_function_runs() {
        for device in [Device::cpu(), Device::sim(), Device::sim_with_seed(5)] {
            let mut y = device.upload(&[0.5; 100]).unwrap();
            run(&device, add, &mut y, 100).unwrap();
            assert!(y.to_vec().unwrap().iter().enumerate().all(|(i, &y)| y == i as f64 + 1.5), "{device}");
            run(&device, add, &mut device.buffer(0).unwrap(), 0).unwrap();
        }
    }

    #[test]
    fn a_fault_is_an_error_and_leaves_the_cpus_memory_as_it_was() {
        for device in [Device::cpu(), Device::sim()] {
            let mut y = device.upload(&[0.5; 64]).unwrap();
            let error = run(&device, racy, &mut y, 64).unwrap_err();
            assert!(matches!(&error, Error::Kernel(fault) if fault.kind == cpu::FaultKind::Race), "{error}");
            assert!(device.has_own_memory() || y.to_vec().unwrap() == [0.5; 64]);
            let error = run(&device, add, &mut device.upload(&[0.5; 63]).unwrap(), 64).unwrap_err();
            assert!(matches!(&error, Error::Kernel(fault) if fault.kind == cpu::FaultKind::OutOfBounds), "{error}");
        }
    }

    #[test]
    fn operands_may_be_the_same_memory_but_not_overlap() {
        let device = Device::cpu();
        let (mut numbers, stream) = (vec![1.0; 64], device.stream().unwrap());
        let address = numbers.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: no driver sees the PTX.
        let kernel = unsafe { Module::load(&device, PTX) }.unwrap().kernel("add", add).unwrap();
        let launch = |offset: usize| {
            // SAFETY: within the numbers, which nobody else uses meanwhile.
            unsafe {
                let at = address + 8 * offset as u64;
                let x = DeviceBuffer::<f64>::from_raw(&device, at, 32).unwrap();
                let mut y = DeviceBuffer::<f64>::from_raw(&device, address, 32).unwrap();
                let args = Add { x: Global::new(at), y: Global::new(address), n: 32 };
                kernel.launch(&stream, Grid::new(1, 32), args, Operands::new().reads(&x).writes(&mut y))
            }
        };
        launch(0).unwrap();
        launch(32).unwrap();
        let error = launch(1).unwrap_err();
        assert!(error.to_string().contains("overlap"), "{error}");
        assert_eq!(numbers[..32], [3.0; 32]);
    }
}
