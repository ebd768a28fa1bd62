//! Deterministic inputs.

use crate::{Element, Scalar, c64};

/// The generator SplitMix64: the same numbers everywhere, for ever.
///
/// ```
/// use warplu::verify::Random;
/// let (mut one, mut other) = (Random::new(7), Random::new(7));
/// assert_eq!(one.bits(), other.bits());
/// assert!((-1.0..1.0).contains(&one.unit()));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    ///
    /// ```
    /// # use warplu::verify::Random;
    /// assert_eq!(Random::new(7).bits(), Random::new(7).bits());
    /// ```
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 bits.
    ///
    /// ```
    /// # use warplu::verify::Random;
    /// let mut random = Random::new(7);
    /// assert_ne!(random.bits(), random.bits());
    /// ```
    #[must_use]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    ///
    /// ```
    /// # use warplu::verify::Random;
    /// assert!(Random::new(7).below(10) < 10);
    /// ```
    #[must_use]
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A number from -1 to 1.
    ///
    /// ```
    /// # use warplu::verify::Random;
    /// assert!((-1.0..1.0).contains(&Random::new(7).unit()));
    /// ```
    #[must_use]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2.0_f64.powi(-52) - 1.0
    }

    /// An element with parts from -1 to 1.
    ///
    /// ```
    /// # use warplu::verify::Random;
    /// let z: warplu::c64 = Random::new(7).element();
    /// assert!(z.re.abs() <= 1.0 && z.im.abs() <= 1.0);
    /// ```
    #[must_use]
    pub fn element<T: Element>(&mut self) -> T {
        let (re, im) = (self.unit(), self.unit());
        T::narrow(T::Scalar::from_c64(c64::new(re, im)))
    }

    /// `len` elements with parts from -1 to 1.
    ///
    /// ```
    /// # use warplu::verify::Random;
    /// let a: Vec<f32> = Random::new(7).elements(100);
    /// assert_eq!(a.len(), 100);
    /// ```
    #[must_use]
    pub fn elements<T: Element>(&mut self, len: usize) -> Vec<T> {
        (0..len).map(|_| self.element()).collect()
    }
}

/// Matrices of order `n`, compact: random ones, but for the last of several, and all of 16-bit types, whose inverses are
/// to stay in range. These are kept well-conditioned: errors show most where the right-hand side is as large as |A| |X|.
pub(crate) fn matrices<T: Element>(random: &mut Random, batch: usize, n: usize) -> Vec<T> {
    let mut data: Vec<T> = random.elements(batch * n * n);
    let shift = c64::new(2.0 * (n as f64).sqrt(), 0.0);
    let first = if T::STORAGE.is_converted() { 0 } else { batch.saturating_sub(1).max(1) };
    for matrix in data.chunks_exact_mut((n * n).max(1)).skip(first) {
        for i in 0..n {
            let at = &mut matrix[i * n + (i + n / 2) % n];
            *at = T::narrow(at.widen() + T::Scalar::from_c64(shift));
        }
    }
    data
}

/// Makes an n x n matrix with parts from -1 to 1 Hermitian and positive definite: what is right of the diagonal is
/// mirrored, and the diagonal is given what the eigenvalues may lack.
///
/// ```
/// let mut matrix = [0.5, -0.25, 0.75, 0.5];
/// warplu::verify::make_definite(&mut matrix, 2);
/// assert_eq!(matrix[1], matrix[2]);
/// assert!(matrix[0] > 1.0);
/// ```
pub fn make_definite<T: Element>(matrix: &mut [T], n: usize) {
    let shift = 2.0 * (n as f64).sqrt() + 1.0;
    for i in 0..n {
        let diagonal = matrix[i * n + i].widen().to_c64().re + shift;
        matrix[i * n + i] = T::narrow(T::Scalar::from_c64(c64::new(diagonal, 0.0)));
        for j in 0..i {
            let mirrored = matrix[j * n + i].widen().to_c64().conj();
            matrix[i * n + j] = T::narrow(T::Scalar::from_c64(mirrored));
        }
    }
}

/// Makes matrix `index` singular, by a zero column, and returns which.
pub(super) fn make_singular<T: Element>(data: &mut [T], index: usize, n: usize) -> usize {
    let column = n / 2;
    for i in 0..n {
        // Row or column, as the order has it: a zero row is a zero column of the transposed matrix.
        data[index * n * n + i * n + column] = T::narrow(T::Scalar::ZERO);
    }
    column
}

/// Makes the diagonals of n x n matrices dominate rows and columns, some by negative elements.
pub(super) fn make_dominant<T: Element>(data: &mut [T], n: usize) {
    for matrix in data.chunks_exact_mut((n * n).max(1)) {
        for i in 0..n {
            let sign = if i % 3 == 1 { -2.0 } else { 2.0 };
            let at = &mut matrix[i * n + i];
            *at = T::narrow(T::Scalar::from_c64(at.widen().to_c64() + sign * n as f64));
        }
    }
}

/// Makes the row and the column in the middle of matrix `index` zero.
pub(super) fn make_middle_zero<T: Element>(data: &mut [T], index: usize, n: usize) {
    let (matrix, middle) = (&mut data[index * n * n..][..n * n], n / 2);
    for i in 0..n {
        matrix[i * n + middle] = T::narrow(T::Scalar::ZERO);
        matrix[middle * n + i] = T::narrow(T::Scalar::ZERO);
    }
}

/// Makes an element of matrix `index` NaN.
pub(super) fn make_non_finite<T: Element>(data: &mut [T], index: usize, n: usize) {
    data[index * n * n + (n * n - 1) / 2] = T::narrow(T::Scalar::NAN);
}
