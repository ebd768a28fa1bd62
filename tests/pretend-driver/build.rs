//! Names the library as NVIDIA's is named, so that a program that has opened it finds it again under that name.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Other systems have other drivers, and other linkers.
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    }
}
