//! The published algorithms: what they compute in the emulator, move, and refuse, and how they are launched.

mod algorithms;
mod block_bordering;
mod bordering;
mod element_wise;
mod elimination;
#[cfg(target_os = "linux")]
mod launches;
mod refusals;
mod shapes;
mod stored;
mod text;
mod traffic;

#[path = "../../../kernels-gpu/tests/common/mod.rs"]
#[allow(dead_code)]
mod common;
