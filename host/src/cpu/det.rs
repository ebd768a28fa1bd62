//! Determinant from LU factors.

use faer::MatRef;
use kernels_gpu::det_product::LogProduct;
use kernels_gpu::lu::NON_FINITE;
use kernels_gpu::scalar::{Real, Scalar};

use super::{CpuScalar, RealOf};

/// det A / |det A| and log |det A| from the factors of A and their status: (0, -inf) for a singular matrix, (NaN, NaN)
/// for one that is not finite.
pub(crate) fn determinant<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], status: i32) -> (T, RealOf<T>) {
    if status == NON_FINITE {
        return (<T as Scalar>::NAN, <RealOf<T> as Scalar>::NAN);
    }
    let mut product = LogProduct::ONE;
    for (k, &p) in pivots.iter().enumerate() {
        product = product.times(lu[(k, k)].to_c64());
        if p as usize != k {
            product = product.negate();
        }
    }
    (T::from_c64(product.phase()), RealOf::<T>::from_f64(product.log_abs()))
}
