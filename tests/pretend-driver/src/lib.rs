//! A libcuda for tests: it launches nothing, does asynchronous work only when something waits for it, notes every
//! misuse that it sees, and fails the calls that a test chooses.
//!
//! The shared library bears the name of NVIDIA's, so that whoever opens it by its path first makes every later `dlopen`
//! of `libcuda.so.1` in the process find it. Tests steer it by the `pretend_*` functions of `control.rs`. Link it to
//! nothing: its symbols are those of the driver.
//!
//! What differs from a driver, apart from the kernels: device memory is memory of the host, and its addresses are the
//! host's; a call that fails on demand has done nothing, unless it releases something, which it then has done all the
//! same; a wait that fails loses all queued work, as a GPU that is lost does.

// The driver's names are what they are.
#![allow(non_snake_case)]

#[macro_use]
mod border;

mod allocate;
mod capture;
mod codes;
mod context;
mod control;
mod copies;
mod device;
mod event;
mod failing;
mod function;
mod graph;
mod launch;
mod memory;
mod notes;
mod ptx;
mod state;
mod stream;
mod table;
mod work;
