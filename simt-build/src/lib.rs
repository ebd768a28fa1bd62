//! Compiles GPU kernels written with [`simt`](https://docs.rs/warplu-simt) to PTX, for a build script or a task of
//! one's own. It is rustc that compiles, with its target `nvptx64-nvidia-cuda`: no CUDA toolkit, no other compiler.
//!
//! The kernels are a crate of their own, a plain library, which the host program uses too: there it runs in the
//! emulator. The build script of that program is
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), simt_build::Error> {
//!     simt_build::Kernels::new("kernels").arch("sm_80").build()?.save_in_out_dir("kernels.ptx")
//! }
//! ```
//!
//! and `include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"))` is the text that a driver loads, by
//! `warplu::resident::Module::load` or any other crate.
//!
//! Only this compiler must be a nightly, [`TOOLCHAIN`], with the component `rust-src`. The program is compiled by
//! whatever compiles it otherwise.
//!
//! A [`Ptx`] that is returned is fit to be shipped: it has entry points, none of which calls a function that is not
//! there, can panic, or (unless [`Kernels::allow_local_memory`] was called) keeps arrays in local memory, which is
//! device memory.

mod error;
mod kernels;
mod manifest;
mod ptx;
mod toolchain;

pub use error::Error;
pub use kernels::Kernels;
pub use ptx::Ptx;

/// The compiler that is used unless the kernels' folder has a `rust-toolchain.toml` that names another: the one that
/// `simt` of this version is tested with.
pub const TOOLCHAIN: &str = "nightly-2026-05-20";

/// What the readme shows is tested by `cargo xtask tutorial`.
#[cfg(test)]
mod tests {
    #[test]
    fn the_kernels_of_warplu_are_compiled_by_the_same() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-gpu/rust-toolchain.toml");
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(crate::manifest::value(&text, "toolchain", "channel"), Some(crate::TOOLCHAIN));
    }
}
