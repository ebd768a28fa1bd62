//! Compiles the kernels to PTX.

fn main() -> Result<(), simt_build::Error> {
    simt_build::Kernels::new("kernels").arch("sm_70").build()?.save_in_out_dir("kernels.ptx")
}
