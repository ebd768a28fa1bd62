//! The machine on every other target: an emulator that runs kernels on the CPU and checks what a GPU does not.
//!
//! [`run`] executes a kernel over a grid. Threads are coroutines that take turns at barriers and warp collectives, in an
//! order drawn from the launch's seed; blocks run in parallel. [`Memory`] is the device memory that the kernel's
//! addresses point into. Whatever is undefined on a GPU ends the launch with a [`Fault`] that names the kernel, the
//! thread and the line:
//!
//! - two threads touch the same bytes, at least one writes, and no barrier or warp sync orders them;
//! - an access leaves its allocation or the block's shared memory, or is not aligned;
//! - memory is read that nobody wrote;
//! - a barrier or collective is not reached by all who must reach it, or not in the same place.
//!
//! ```
//! use simt::cpu::{FaultKind, Launch, Memory, run};
//! use simt::{block, global::Global, thread};
//!
//! let memory = Memory::new();
//! let buffer = memory.allocate(4 * 256);
//! let address = buffer.address();
//! let launch = Launch { kernel: "iota", grid: 4, cluster: 1, block: 64, shared_bytes: 0, seed: 1 };
//! run(&memory, &launch, || {
//!     let i = block::index() * block::dim() + thread::index();
//!     // SAFETY: one element a thread.
//!     unsafe { Global::<u32>::new(address) }.store(i.into(), i);
//! })?;
//! assert_eq!(buffer.to_vec::<u32>()[255], 255);
//!
//! // A kernel that reads what its neighbour writes.
//! let fault = run(&memory, &launch, || {
//!     // SAFETY: the emulator checks what is wrong here.
//!     let values = unsafe { Global::<u32>::new(address) };
//!     let i = i64::from(thread::index());
//!     values.store(i, values.load((i + 1) % 64));
//! })
//! .unwrap_err();
//! assert_eq!(fault.kind, FaultKind::Race);
//! println!("{fault}"); // who, and at which line
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod clock;
mod cluster;
mod cluster_barrier;
mod collective;
mod copies;
mod crowd;
mod current;
mod distributed;
mod fault;
mod flights;
mod grid;
mod id;
mod launch;
mod learned;
mod mbarrier;
mod memory;
mod panics;
mod product;
mod random;
mod region;
mod schedule;
mod shadow;
mod stacks;
mod state;
mod stuck;
pub mod threads;
mod typed;

pub(crate) mod machine;

pub use fault::{Fault, FaultKind, Site};
pub use grid::{Launch, MAX_BLOCK, MAX_CLUSTER, MAX_GRID, MAX_SHARED_BYTES, Traffic};
pub use launch::run;
pub use memory::{Buffer, Memory, OutOfRange};
