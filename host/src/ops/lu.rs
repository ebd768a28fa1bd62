//! LU factors, and what they are asked for.

use numbers::scalar::Scalar;

use super::checks;
use super::kept::Factored;
use super::one_size::OneSize;
use crate::batch::Batch;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::lend::Lent;
use crate::matrices::Matrices;
use crate::operation::{self, Operation};
use crate::status::Status;
use crate::statuses::Statuses;

/// The LU factors of a batch, PA = LU, kept where they were made: on a GPU they stay in its memory, and so
/// [`Lu::solve`] moves right-hand sides and solutions only. [`Lu::factors`] and [`Lu::pivots`] bring them over once,
/// when asked. Factors that do not fit a GPU are kept on the host, and pass through the GPU in each call. Several GPUs
/// ([`Device::cuda_list`]) each keep a range of the batch, and work on all of it at once; where one has no room for its
/// range, all stay on the host.
///
/// For 16-bit types the factors are in f32. Clones share the factors.
///
/// ```
/// use warplu::{Batch, Device, Op};
/// let lu = Device::cpu().lu(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
/// assert_eq!(lu.solve(&Batch::row_major(&[3.0, 2.0], 1, 2, 1)?, Op::None)?.x.as_slice(), [1.0, 1.0]);
/// assert_eq!(lu.inverse()?.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
/// assert_eq!(lu.det()?.values, [1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Lu<T: Element> {
    factored: Factored<T::Scalar>,
}

impl<T: Element> Lu<T> {
    /// Factors that were made before, by warplu or LAPACK: (batch, n, n), and pivots (batch, n) counted from 0. The
    /// statuses are found from the factors. On a GPU they are brought to its memory, once.
    ///
    /// ```
    /// use warplu::{Batch, Device, Lu, Op};
    /// let factors = [4.0, 2.0, 0.25, 1.5];
    /// let lu = Lu::from_parts(&Device::cpu(), &Batch::<f64>::row_major(&factors, 1, 2, 2)?, &[1, 1])?;
    /// let x = lu.solve(&Batch::row_major(&[3.0, 6.0], 1, 2, 1)?, Op::None)?.x;
    /// assert_eq!(x.as_slice(), [1.0, 1.0]); // of the matrix [1 2; 4 2]
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the factors are not square, or there are not as many pivots, or one is
    /// not below n; a device's errors.
    pub fn from_parts(device: &Device, factors: &Batch<'_, T::Scalar>, pivots: &[u32]) -> Result<Self> {
        let (n, batch) = (factors.order()?, factors.batch());
        checks::length(pivots, product(&[batch, n])?, "pivots")?;
        pivots.chunks_exact(n.max(1)).enumerate().try_for_each(|(b, pivots)| checks::pivots(b, pivots))?;
        let factored = Factored::from_parts(device, factors, Some(pivots), |b, put| {
            let mut code = 0;
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let x = factors.get(b, i, j);
                put(i, j, x);
                match code {
                    _ if !x.is_finite() => code = Status::NonFinite.code(),
                    0 if i == j && x == T::Scalar::ZERO => code = i as i32 + 1,
                    _ => {}
                }
            }
            code
        })?;
        Ok(Self { factored })
    }

    /// Factors other matrices, in the memory of these factors if they are of the same number and order and nobody else
    /// has a clone.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let mut lu = Device::cpu().lu(&Batch::row_major(&[2.0], 1, 1, 1)?)?;
    /// lu.refactor(&Batch::row_major(&[3.0], 1, 1, 1)?)?;
    /// assert_eq!(lu.factors()?.as_slice(), [3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu`]; then there are no factors of anything, but those of no matrices.
    pub fn refactor(&mut self, a: &Batch<'_, T>) -> Result<()> {
        self.factored.refactor(&operation::factor_lu::<T>(), Lent::read(a), true)
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.batch(), 1);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.factored.batch()
    }

    /// Order of the matrices.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.n(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn n(&self) -> usize {
        self.factored.n()
    }

    /// How each matrix fared.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Status};
    /// let a = [1.0, 2.0, 2.0, 4.0, 1.0, 0.0, 0.0, 1.0]; // the first is singular
    /// let lu = Device::cpu().lu(&Batch::row_major(&a, 2, 2, 2)?)?;
    /// assert_eq!(*lu.status(), [Status::Singular(2), Status::Ok]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn status(&self) -> &Statuses {
        self.factored.status()
    }

    /// The factors, or an error if any matrix is singular or not finite.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Op};
    /// let (a, b) = (Batch::row_major(&[2.0, 4.0], 2, 1, 1)?, Batch::row_major(&[6.0, 8.0], 2, 1, 1)?);
    /// let x = Device::cpu().lu(&a)?.check()?.solve(&b, Op::None)?.check()?;
    /// assert_eq!(x.as_slice(), [3.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Self> {
        self.status().check().map(|()| self)
    }

    /// U, and L below its diagonal (L's diagonal is 1): (batch, n, n), laid out as the matrices were.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[4.0, 2.0, 1.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.factors()?.get(0, 1, 0), 0.25);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors, on their first way to the host.
    pub fn factors(&self) -> Result<&Matrices<T::Scalar>> {
        Ok(&self.factored.host()?.factors)
    }

    /// Row interchanges of matrix b, zero-based: row k was swapped with row `pivots[k]`, for k = 0, 1, ... (what
    /// `scipy.linalg.lu_factor` returns).
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.pivots(0)?, [1, 1]); // rows 0 and 1 were swapped, then row 1 stayed
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::factors`].
    ///
    /// # Panics
    /// If there is no matrix b.
    pub fn pivots(&self, b: usize) -> Result<&[u32]> {
        Ok(&self.all_pivots()?[b * self.n()..][..self.n()])
    }

    /// All interchanges: (batch, n).
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.all_pivots()?, [1, 1]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::factors`].
    pub fn all_pivots(&self) -> Result<&[u32]> {
        Ok(&self.factored.host()?.pivots)
    }

    /// The interchanges of matrix b as a permutation: row i of PA is row `permutation[i]` of A.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[0.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.permutation(0)?, [1, 0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::factors`].
    ///
    /// # Panics
    /// If there is no matrix b.
    pub fn permutation(&self, b: usize) -> Result<Vec<u32>> {
        let mut permutation: Vec<u32> = (0..self.n() as u32).collect();
        for (k, &p) in self.pivots(b)?.iter().enumerate() {
            permutation.swap(k, p as usize);
        }
        Ok(permutation)
    }
}

impl<T: Element> OneSize for Lu<T> {
    type Element = T;
    type How = ();

    fn of((): (), factored: Factored<T::Scalar>) -> Self {
        Self { factored }
    }

    fn how(&self) {}

    fn factored(&self) -> &Factored<T::Scalar> {
        &self.factored
    }

    fn factored_mut(&mut self) -> &mut Factored<T::Scalar> {
        &mut self.factored
    }

    fn factoring((): ()) -> Operation {
        operation::factor_lu::<T>()
    }

    fn solving<U: Element<Scalar = T::Scalar>>((): ()) -> Operation {
        operation::lu_solve::<U>()
    }

    fn refining((): ()) -> Operation {
        operation::lu_refine::<T::Scalar>()
    }

    fn inverting((): ()) -> Operation {
        operation::lu_invert::<T>()
    }

    fn finding_det((): ()) -> Operation {
        operation::lu_det::<T>()
    }
}
