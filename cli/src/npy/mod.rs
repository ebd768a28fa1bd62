//! `.npy` files.

mod elements;
mod header;
mod read;
mod source;
mod transposed;
mod write;

pub(crate) use header::{Numbers, parsed_header};
pub(crate) use read::NpyFile;
pub(crate) use source::source;
pub(crate) use write::{Narrowed, NpySink, header};
