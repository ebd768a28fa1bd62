//! The kernels of published algorithms, as their papers describe them: there to be compared with.

pub mod bordering;
pub mod element_wise;
pub mod elimination;
pub mod finish;
pub mod grid;
pub mod inverse;
pub mod lu;
pub mod pivot;
pub mod substitution;
pub mod sum;

/// Stands at the head of a loop that whole warps go through together, over rows or columns of which each thread solves one
/// with the same triangle in shared memory: without, LLVM loads the triangle ahead of the loop, into more registers than
/// there are.
#[inline(always)]
fn keep_loads_inside() {
    simt::warp::sync(simt::warp::ALL);
}
