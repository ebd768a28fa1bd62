//! The compiled PTX, written by `cargo xtask kernels`.

mod modules;

pub use modules::MODULES;
