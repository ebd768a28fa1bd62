//! `.npy` files.

mod descr;
mod elements;
mod header;
mod literal;
mod read;
mod source;
mod transposed;
mod write;

pub(crate) use descr::{Descr, Kind};
pub(crate) use header::{Numbers, parsed_header};
pub(crate) use literal::Header;
pub(crate) use read::NpyFile;
pub(crate) use source::source;
pub(crate) use write::{Narrowed, NpySink, header};
