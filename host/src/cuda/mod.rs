//! NVIDIA GPUs, through the driver's own functions. Its library is opened when a GPU is first asked for: to build and
//! to start, a program needs neither toolkit nor driver, and it exports no symbol of the driver's unless the feature
//! `cust` is on.
//!
//! The driver ties no lifetimes to a context, and using a stream, event or module after its context crashes. So
//! everything here holds its context alive, and makes it current for each call.

mod call;
mod cluster;
mod context;
mod deferred;
mod driver;
mod error;
mod event;
#[cfg(feature = "cust")]
mod foreign;
mod function;
mod functions;
mod gpu;
mod init;
mod memory;
mod module;
mod pinned;
mod ptx;
mod registered;
mod stream;
#[cfg(feature = "cust")]
mod symbols;
mod table;

pub use error::CudaError;
pub(crate) use event::Event;
pub(crate) use function::Function;
pub(crate) use gpu::Gpu;
pub(crate) use memory::Memory;
pub(crate) use module::Module;
pub(crate) use pinned::Pinned;
pub(crate) use registered::Registered;
pub(crate) use stream::Stream;
