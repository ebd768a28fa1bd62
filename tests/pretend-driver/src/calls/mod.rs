//! The functions of the driver, a file a group: each defines its functions with [`driver`](crate::entering::driver), and
//! before them what of the state's work only these need. None of the groups uses another.

mod capture;
mod context;
mod copies;
mod device;
mod errors;
mod event;
mod function;
mod graph;
mod launch;
mod memory;
mod stream;
