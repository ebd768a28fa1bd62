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
//!
//! The modules, from the ground up. They use what is before or beside them, and never each other in a circle:
//! - `codes`, `border`, `config`, `ptx` and `table`: errors, what C hands over, texts of PTX, and handles;
//! - the things that the driver knows, each by itself: `memory`, `work` and the others, which see no state;
//! - `state`: all of these together, behind one lock;
//! - `capturing`, `running` and `queueing`: work on the state that several groups of calls share;
//! - `entering`: what every call goes through;
//! - `calls` and `control`: the functions that C sees.

// The driver's names are what they are.
#![allow(non_snake_case)]

// The ground.
mod border;
mod codes;
mod config;
mod ptx;
mod table;

// What the driver knows.
mod capture;
mod context;
mod event;
mod failing;
mod function;
mod launch;
mod memory;
mod notes;
mod stream;
mod work;

// The state, and what is done with it.
mod capturing;
mod entering;
mod queueing;
mod running;
mod state;

// What C sees.
mod calls;
mod control;
