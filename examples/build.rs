//! Compiles the kernels of `chemistry` to PTX, for `stiff_chemistry` with the feature `kernels`.

#[cfg(feature = "kernels")]
fn main() -> Result<(), simt_build::Error> {
    // A thread holds a whole cell, which is more than the registers that it can have.
    simt_build::Kernels::new("chemistry").allow_local_memory().build()?.save_in_out_dir("kernels.ptx")
}

#[cfg(not(feature = "kernels"))]
fn main() {}
