//! For programs that stay on the device: buffers, streams, and plans that neither allocate nor wait.
//!
//! A plan is made once for a size; running it only enqueues kernels on the given stream, so a CUDA graph can capture it.
//!
//! ```
//! use warplu::Device;
//! use warplu::resident::{DeviceBatch, InversePlan};
//!
//! let device = Device::sim(); // or Device::cuda(0)?
//! let stream = device.stream()?;
//! let a = device.upload(&[2.0, 1.0, 1.0, 3.0])?;
//! let inverse = device.buffer::<f64>(4)?;
//! let status = device.buffer::<i32>(1)?;
//!
//! let plan = InversePlan::<f64>::new(&device, 2, 1)?;
//! plan.run(&stream, &DeviceBatch::c_order(&a, 1, 2, 2)?, &DeviceBatch::c_order(&inverse, 1, 2, 2)?, &status)?;
//! stream.synchronize()?;
//! assert_eq!(inverse.to_vec()?, [0.6, -0.2, -0.2, 0.4]);
//! # Ok::<(), warplu::Error>(())
//! ```

mod buffer;
mod det;
mod factored;
mod inverse;
mod lu;
mod solve;
mod stream;

pub use buffer::{DeviceBatch, DeviceBuffer};
pub use det::DetPlan;
pub use factored::{LuDetPlan, LuInversePlan, LuSolvePlan};
pub use inverse::InversePlan;
pub use lu::LuPlan;
pub use solve::SolvePlan;
pub use stream::{Event, Stream};

pub(crate) use buffer::matrices_at;
pub(crate) use solve::SolveBuffers;
