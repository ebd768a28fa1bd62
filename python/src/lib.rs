//! The extension module of the Python package `warplu`: its calls on addresses.
//!
//! What a call is given are addresses, sizes and strides, which the package's Python part has taken from arrays of
//! NumPy, PyTorch, CuPy and others; that part keeps the arrays alive, allocates outputs and broadcasts. Here is no
//! knowledge of array libraries, there no arithmetic. Nothing in here is for users: who calls it with an address that
//! is none crashes.

mod bad;
mod block;
mod calls;
mod devices;
mod dlpack;
mod dtype;
mod error;
mod host;
mod lists;
mod matrices;
mod method;
mod place;
mod plans;
mod resident;
mod sides;
mod view;

use pyo3::pymodule;

/// Calls of warplu on addresses.
#[pymodule]
mod _warplu {
    #[pymodule_export]
    use super::block::Block;
    #[pymodule_export]
    use super::calls::{cho_solve, cholesky, det, growth, inv, lu_factor, lu_solve, rcond, refine, solve};
    #[pymodule_export]
    use super::devices::devices;
    #[pymodule_export]
    use super::dlpack::{Tensor, from_dlpack};
    #[pymodule_export]
    use super::lists::{det_list, inv_list, lu_factor_list, solve_list};
    #[pymodule_export]
    use super::matrices::Matrices;
    #[pymodule_export]
    use super::plans::clear_plans;
    #[pymodule_export]
    use super::view::View;
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
