//! Inversion from Cholesky factors (LAPACK `xPOTRI`).

use std::mem::MaybeUninit;

use super::factor::subtract_lower;
use super::mirror::{adjoint, mirror};
use crate::columns::Columns;
use crate::element::CpuScalar;
use crate::inverse::{DENSE, invert_upper, subtract_upper_product};
use crate::params::Params;
use crate::product::subtract_product;
use crate::view::MatMut;

/// Writes A^-1 = W W^H, with W = L^-H, both triangles, from L and L^H, whose place is room for more.
///
/// # Panics
/// If the shapes do not fit, or the matrices are not column-major.
pub(super) fn invert_with<T: CpuScalar>(mut factors: MatMut<'_, T>, mut out: MatMut<'_, T>, params: Params) {
    let n = factors.ncols();
    assert!(factors.shape() == (n, n) && out.shape() == (n, n), "invert needs square matrices");
    out.fill(T::ZERO);
    invert_upper(factors.rb(), out.rb_mut(), params);
    // -W^H, in the place of the factors.
    adjoint(out.rb(), factors.rb_mut());
    factors.for_each(|x| *x = -*x);
    gram(out.rb_mut(), factors, params);
    mirror(out, params);
}

/// Overwrites W, an upper triangle with zeros below, with the lower triangle of W W^H, where `minus` is -W^H; what
/// becomes of the rest does not matter.
fn gram<T: CpuScalar>(w: MatMut<'_, T>, minus: MatMut<'_, T>, params: Params) {
    let n = w.ncols();
    if n <= DENSE {
        return small_gram(w, minus, params);
    }
    let half = params.half(n);
    let (mut w11, w12, mut w21, mut w22) = w.split_at_mut(half, half);
    let (minus11, _, minus21, minus22) = minus.split_at_mut(half, half);
    params.join(
        || {
            gram(w11.rb_mut(), minus11, params);
            subtract_lower(w11, w12.rb(), minus21.rb(), params);
        },
        || {
            w21.fill(T::ZERO);
            subtract_upper_product(w21, w22.rb(), minus21.rb(), params);
            gram(w22.rb_mut(), minus22, params);
        },
    );
}

/// As [`gram`], for orders up to [`DENSE`]. Not inlined, or each level of the recursion would have its room on the stack.
#[inline(never)]
fn small_gram<T: CpuScalar>(w: MatMut<'_, T>, minus: MatMut<'_, T>, params: Params) {
    let n = w.ncols();
    let mut room = MaybeUninit::<[T; DENSE * DENSE]>::uninit();
    // SAFETY: there is room for it, which is nobody else's, and it is written before it is read.
    let mut x = unsafe { MatMut::from_raw_parts_mut(room.as_mut_ptr().cast::<T>(), n, n, 1, n as isize) };
    x.fill(T::ZERO);
    subtract_product(x.rb_mut(), w.rb(), minus.rb(), params);
    let (x, w) = (Columns::of(x.rb()), Columns::of_mut(w));
    for j in 0..n {
        for i in j..n {
            // SAFETY: both are borrowed.
            unsafe { w.at(i, j).write(x.get(i, j)) };
        }
    }
}
