//! Inversion and solution from the matrices themselves, in one launch: no factors are stored.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::operation::{GesvArgs, InverseArgs};
use numbers::matrix::Matrices;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use super::{Launcher, Problem};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::choice;
use crate::error::Result;

/// The kernel of [`Family::Inverse`] or [`Family::Gesv`] that a plan uses; none where it goes by factors, as it does
/// where the kernel for one right-hand side does not take as many and no matrix fits the registers.
pub(crate) fn fused(
    backend: &Backend,
    algorithm: Algorithm,
    family: Family,
    kind: ScalarKind,
    size: Problem,
) -> Result<Option<&'static Entry>> {
    let (problem, limits) = (size, backend.limits());
    match algorithm {
        Algorithm::Auto | Algorithm::Latency => {
            let one = choice::find(algorithm, family, kind, &Problem { rhs: 1, ..problem }, limits);
            if let Some(entry) = one.filter(|entry| entry.fits(&problem, limits.shared_bytes)) {
                return Ok(Some(entry));
            }
            // It takes one right-hand side only. In registers any number is better than two launches.
            let several = choice::find(algorithm, family, kind, &problem, limits);
            Ok(several.filter(|entry| matches!(entry.variant, Variant::InThread | Variant::InRegisters { .. })))
        }
        Algorithm::Kernel(name) if choice::family(name) == Some(family) => {
            choice::named(name, kind, &problem, limits).map(Some)
        }
        _ => Ok(None),
    }
}

impl Launcher<'_> {
    /// A^-1, by a kernel of [`Family::Inverse`]; all NaN where the status is not 0. `inverse` may be `a`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn invert<T: Scalar>(
        &self,
        entry: &'static Entry,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        size: Problem,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| InverseArgs { a, inverse, status, first, end, n: size.n }) }
    }

    /// A X = B, by a kernel of [`Family::Gesv`]; X is all NaN where the status is not 0. `x` may be `b`. `work` has
    /// [`work_numbers`](kernels_gpu::entry::Variant::work_numbers) for each matrix.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn factor_solve<T: Scalar>(
        &self,
        entry: &'static Entry,
        a: Matrices<T>,
        (b, x): (Matrices<T>, Matrices<T>),
        status: Global<i32>,
        work: Global<T>,
        size: Problem,
    ) -> Result<()> {
        let Problem { n, rhs, .. } = size;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| GesvArgs { a, b, x, status, work, first, end, n, rhs }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_right_hand_sides_take_one_launch_where_registers_hold_the_matrix() {
        let backend = Backend::sim(0);
        for kind in ScalarKind::ALL {
            for n in 1..=40 {
                let size = |rhs| Problem { n, batch: 1, rhs };
                let variant = |rhs| {
                    let entry = fused(&backend, Algorithm::Auto, Family::Gesv, kind, size(rhs)).unwrap();
                    entry.inspect(|entry| assert!(entry.fits(&size(rhs), u32::MAX))).map(|entry| entry.variant)
                };
                assert!(variant(1).is_some(), "{kind:?} {n}");
                assert_eq!(
                    matches!(variant(3), Some(Variant::InThread | Variant::InRegisters { .. })),
                    n <= 32,
                    "{kind:?} {n}"
                );
            }
        }
    }
}
