//! NVIDIA GPUs through cust, whose driver is opened when a GPU is first asked for.
//!
//! cust ties no lifetimes to a context, and dropping a buffer, stream, event or module after its context crashes. So
//! everything here holds its context alive, and makes it current for each call.

mod archives;
mod call;
mod context;
mod driver;
mod error;
mod event;
mod function;
mod gpu;
mod memory;
mod module;
mod modules;
mod pinned;
mod stream;
mod symbols;

pub use error::CudaError;
pub(crate) use event::Event;
pub(crate) use function::Function;
pub(crate) use gpu::Gpu;
pub(crate) use memory::Memory;

pub(crate) use pinned::Pinned;
pub(crate) use stream::Stream;
