//! The product of small matrices that a warp's lanes hold together.

/// A lane's part of the three matrices of a product, `c += a * b`: the elements that [`multiply_f64`](crate::warp::multiply_f64) names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fragments {
    pub(crate) a: [f64; 4],
    pub(crate) b: [f64; 2],
    pub(crate) c: [f64; 4],
}

/// The matrices: a is 16 x 8, b 8 x 8, and c 16 x 8.
#[derive(Default)]
struct Matrices {
    a: [[f64; 8]; 16],
    b: [[f64; 8]; 8],
    c: [[f64; 8]; 16],
}

/// Replaces each lane's part of c.
pub(super) fn multiply(fragments: &mut [Fragments]) {
    let mut matrices = Matrices::default();
    for (lane, fragments) in fragments.iter().enumerate() {
        let (i, j) = (lane / 4, lane % 4);
        for half in 0..2 {
            matrices.b[j + 4 * half][i] = fragments.b[half];
            for e in 0..2 {
                matrices.a[i + 8 * e][j + 4 * half] = fragments.a[2 * half + e];
                matrices.c[i + 8 * half][2 * j + e] = fragments.c[2 * half + e];
            }
        }
    }
    matrices.multiply();
    for (lane, fragments) in fragments.iter_mut().enumerate() {
        let (i, j) = (lane / 4, lane % 4);
        for (e, x) in fragments.c.iter_mut().enumerate() {
            *x = matrices.c[i + 8 * (e / 2)][2 * j + e % 2];
        }
    }
}

impl Matrices {
    fn multiply(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("fma") {
            // SAFETY: the processor has it.
            return unsafe { self.multiply_fused() };
        }
        self.multiply_each();
    }

    /// As [`Self::multiply_each`], without a call for each multiply-add.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "fma")]
    fn multiply_fused(&mut self) {
        self.multiply_each();
    }

    #[inline(always)]
    fn multiply_each(&mut self) {
        for (c, a) in self.c.iter_mut().zip(&self.a) {
            for (a, b) in a.iter().zip(&self.b) {
                for (c, b) in c.iter_mut().zip(b) {
                    *c = a.mul_add(*b, *c);
                }
            }
        }
    }
}
