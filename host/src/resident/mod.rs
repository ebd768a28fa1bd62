//! For programs that keep their matrices where the work is done: buffers, streams, and plans that neither allocate nor
//! wait.
//!
//! The same program runs on GPUs, in the emulator and on the CPU, whose buffers are host memory. A plan is made once
//! for an order and a largest batch; running it only enqueues kernels on the given stream, so a CUDA graph can capture
//! it.
//!
//! ```
//! use warplu::Device;
//! use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
//!
//! let device = Device::best();
//! let stream = device.stream()?;
//! let a = device.upload(&[2.0, 1.0, 1.0, 3.0])?;
//! let mut inverse = device.buffer::<f64>(4)?;
//! let mut status = device.buffer::<i32>(1)?;
//!
//! let plan = InversePlan::<f64>::new(&device, Size::order(2))?;
//! let (a, mut out) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?);
//! plan.run(&stream, of::Inverse { a: &a, inverse: &mut out, status: &mut status })?;
//! stream.synchronize()?;
//! assert_eq!(inverse.to_vec()?, [0.6, -0.2, -0.2, 0.4]);
//! # Ok::<(), warplu::Error>(())
//! ```
//!
//! All of these are of one device, and things of different ones do not mix. Of [several](crate::Device::cuda_list) in one,
//! each of [`Device::devices`](crate::Device::devices) has its own.
//!
//! # Matrices of many sizes
//! Every plan may be made for [`RaggedSizes`] or [`SystemSizes`], the sizes of all matrices of a batch, in place of a
//! [`Size`]. [`DeviceRagged`] and [`DeviceRaggedMut`] are buffers with tables of where these are. A run enqueues a group of
//! matrices of one size after the other, on a GPU in several streams of the plan's, which begin behind what is in the
//! caller's, and which that waits for; so that it can be captured, too.
//!
//! # Order of work
//! Work on one stream is done in the order in which it was enqueued. Where a buffer that one stream uses is given to
//! another, the other waits for the first by itself, unless both only read it; so no order of safe calls is a race. A
//! buffer is freed when the work on it is done. All of this is of buffers, not of what array of pointers point at.
//!
//! # Graphs
//! While a stream is captured into a CUDA graph, it cannot wait for work that was enqueued elsewhere: wait for other
//! streams that used the same buffers first ([`Stream::synchronize`]). Buffers and plans must outlive the graph.
//!
//! # Kernels of one's own
//! [`Module::load`] takes PTX, such as `warplu-simt-build` makes of kernels in Rust, and [`Kernel::launch`] enqueues one
//! of its kernels beside the plans' on the same streams and buffers. On other devices than GPUs its Rust function runs
//! in the emulator, which finds races and accesses out of bounds. [`Operands`] say which buffers it reads and writes,
//! so that other streams wait for it, as for anything else.
//!
//! # Memory and streams of others
//! [`DeviceBuffer::from_raw`] and [`Stream::from_raw`] take what other CUDA libraries made, such as PyTorch and CuPy;
//! they are unsafe, as nobody but the caller knows how long it lives. With the feature `cust`, `Device::cust_scope`
//! takes the streams and buffers of that crate safely. The other way round, [`DeviceBuffer::address`] and
//! [`Stream::raw`] give warplu's to other libraries.
//!
//! # Threads
//! All of these types are `Send` and `Sync`. A stream may be used by several threads at once; then the order of their
//! work is that in which their calls got there.

mod batch;
mod bound;
mod buffer;
#[cfg(feature = "cust")]
mod cust;
mod grid;
mod kernel;
mod module;
pub mod of;
mod of_order_0;
mod operands;
mod pivots;
mod plan;
mod ragged_pivots;
mod rooms;
mod sizes;
mod slice;
mod stream;
mod table;
mod uses;

#[cfg(feature = "cust")]
pub use self::cust::{CustScope, CustStream, CustView, CustViewMut};
pub use batch::{DeviceBatch, DeviceBatchMut};
pub use buffer::DeviceBuffer;
pub use grid::Grid;
pub use kernel::Kernel;
pub use module::Module;
pub use of::InPlace;
pub use operands::Operands;
pub use pivots::Pivots;
pub use plan::Plan;
pub use ragged_pivots::RaggedPivots;
pub use sizes::{PlanSizes, RaggedSizes, Size, SystemSizes};
pub use slice::{DeviceSlice, DeviceSliceMut};
pub use stream::{Event, Stream};
pub use table::{DeviceRagged, DeviceRaggedMut};

/// Plans that factor: PA = LU.
pub type LuPlan<T> = Plan<of::Lu, T>;
/// Plans that solve from LU factors.
pub type LuSolvePlan<T> = Plan<of::LuSolve, T>;
/// Plans that invert from LU factors.
pub type LuInversePlan<T> = Plan<of::LuInverse, T>;
/// Plans for determinants from LU factors.
pub type LuDetPlan<T> = Plan<of::LuDet, T>;
/// Plans that factor positive definite matrices: A = L L^H.
pub type CholeskyPlan<T> = Plan<of::Cholesky, T>;
/// Plans that solve from Cholesky factors.
pub type CholeskySolvePlan<T> = Plan<of::CholeskySolve, T>;
/// Plans that invert from Cholesky factors.
pub type CholeskyInversePlan<T> = Plan<of::CholeskyInverse, T>;
/// Plans for determinants from Cholesky factors.
pub type CholeskyDetPlan<T> = Plan<of::CholeskyDet, T>;
/// Plans that invert.
pub type InversePlan<T> = Plan<of::Inverse, T>;
/// Plans that solve.
pub type SolvePlan<T> = Plan<of::Solve, T>;
/// Plans that solve by factors in single precision.
pub type SolveRefinedPlan<T> = Plan<of::SolveRefined, T>;
/// Plans for determinants.
pub type DetPlan<T> = Plan<of::Det, T>;

/// Borrows keep outputs apart from everything else, and alive.
///
/// An output is one output of a call:
/// ```
/// use warplu::resident::{DetPlan, DeviceBatch, Size, of};
/// let device = warplu::Device::cpu();
/// let (stream, a) = (device.stream()?, device.upload(&[2.0_f64])?);
/// let (mut det, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer::<f64>(1)?);
/// let mut status = device.buffer(1)?;
/// let (plan, a) = (DetPlan::<f64>::new(&device, Size::order(1))?, DeviceBatch::row_major(&a, 1, 1, 1)?);
/// let operands = of::Det { a: &a, values: &mut det, sign: &mut sign, log_abs: &mut log_abs, status: &mut status };
/// plan.run(&stream, operands)?;
/// # Ok::<(), warplu::Error>(())
/// ```
/// ```compile_fail,E0499
/// use warplu::resident::{DetPlan, DeviceBatch, Size, of};
/// let device = warplu::Device::cpu();
/// let (stream, a) = (device.stream()?, device.upload(&[2.0_f64])?);
/// let (mut det, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer::<f64>(1)?);
/// let mut status = device.buffer(1)?;
/// let (plan, a) = (DetPlan::<f64>::new(&device, Size::order(1))?, DeviceBatch::row_major(&a, 1, 1, 1)?);
/// let operands = of::Det { a: &a, values: &mut det, sign: &mut sign, log_abs: &mut sign, status: &mut status };
/// plan.run(&stream, operands)?;
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// Nobody reads a buffer while it is an output, nor is it an input of the same call:
/// ```
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
/// let device = warplu::Device::cpu();
/// let (stream, a) = (device.stream()?, device.upload(&[2.0_f64])?);
/// let (mut x, mut status) = (device.upload(&[1.0_f64])?, device.buffer(1)?);
/// let mut out = DeviceBatchMut::row_major(&mut x, 1, 1, 1)?;
/// let a = DeviceBatch::row_major(&a, 1, 1, 1)?;
/// let operands = of::Inverse { a: &a, inverse: &mut out, status: &mut status };
/// InversePlan::<f64>::new(&device, Size::order(1))?.run(&stream, operands)?;
/// assert_eq!(x.to_vec()?, [0.5]);
/// # Ok::<(), warplu::Error>(())
/// ```
/// ```compile_fail,E0502
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
/// let device = warplu::Device::cpu();
/// let (stream, a) = (device.stream()?, device.upload(&[2.0_f64])?);
/// let (mut x, mut status) = (device.upload(&[1.0_f64])?, device.buffer(1)?);
/// let mut out = DeviceBatchMut::row_major(&mut x, 1, 1, 1)?;
/// assert_eq!(x.to_vec()?, [1.0]);
/// let a = DeviceBatch::row_major(&a, 1, 1, 1)?;
/// let operands = of::Inverse { a: &a, inverse: &mut out, status: &mut status };
/// InversePlan::<f64>::new(&device, Size::order(1))?.run(&stream, operands)?;
/// # Ok::<(), warplu::Error>(())
/// ```
/// ```compile_fail,E0502
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
/// let device = warplu::Device::cpu();
/// let (stream, a) = (device.stream()?, device.upload(&[2.0_f64])?);
/// let (mut x, mut status) = (device.upload(&[1.0_f64])?, device.buffer(1)?);
/// let mut out = DeviceBatchMut::row_major(&mut x, 1, 1, 1)?;
/// let x = DeviceBatch::row_major(&x, 1, 1, 1)?;
/// let operands = of::Inverse { a: &x, inverse: &mut out, status: &mut status };
/// InversePlan::<f64>::new(&device, Size::order(1))?.run(&stream, operands)?;
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// A batch is not there longer than its buffer:
/// ```
/// use warplu::resident::DeviceBatch;
/// let device = warplu::Device::cpu();
/// let buffer = device.upload(&[2.0_f64])?;
/// let batch = DeviceBatch::row_major(&buffer, 1, 1, 1)?;
/// println!("{batch:?}");
/// drop(buffer);
/// # Ok::<(), warplu::Error>(())
/// ```
/// ```compile_fail,E0505
/// use warplu::resident::DeviceBatch;
/// let device = warplu::Device::cpu();
/// let buffer = device.upload(&[2.0_f64])?;
/// let batch = DeviceBatch::row_major(&buffer, 1, 1, 1)?;
/// drop(buffer);
/// println!("{batch:?}");
/// # Ok::<(), warplu::Error>(())
/// ```
#[cfg(doctest)]
struct Borrows;
