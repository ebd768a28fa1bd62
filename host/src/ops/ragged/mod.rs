//! Factors of matrices of many orders: those of each group of one order, which are factors like any other.

mod factor;
mod quality;
mod refine;
mod solve;

use std::sync::Arc;

use super::one_size::{OneSize, ScalarOf};
use super::{Cholesky, Lu};
use crate::batch::Batch;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::lend::Groups;
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;

/// The LU factors of a ragged batch.
pub type RaggedLu<T> = RaggedFactors<Lu<T>>;

/// The Cholesky factors of a ragged batch.
pub type RaggedCholesky<T> = RaggedFactors<Cholesky<T>>;

/// The factors of a ragged batch, [`Lu`] or [`Cholesky`], kept where they were made, as these are: on a GPU those of a
/// group of matrices of one order stay in its memory where they fit, and on the host otherwise.
///
/// For 16-bit types the factors are in f32. Clones share the factors.
///
/// ```
/// use warplu::{Device, Op, Ragged};
/// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
/// let b = Ragged::row_major(&[3.0, 2.0, 8.0], &[(2, 1), (1, 1)])?;
/// assert_eq!(lu.solve(&b, Op::None)?.x.as_slice(), [1.0, 1.0, 2.0]);
/// assert_eq!(lu.inverse()?.matrices.matrix(1), [0.25]);
/// assert_eq!(lu.det()?.sign, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct RaggedFactors<F: OneSize> {
    how: F::How,
    device: Device,
    groups: Arc<Groups>,
    /// Of each group.
    factors: Vec<F>,
    /// The group of each matrix, and its place in there.
    places: Arc<Vec<(usize, usize)>>,
    status: Statuses,
}

impl<F: OneSize> RaggedFactors<F> {
    fn new(device: &Device, how: F::How, groups: Groups, factors: Vec<F>) -> Result<Self> {
        let statuses: Vec<Vec<Status>> = factors.iter().map(|of_group| of_group.factored().status().to_vec()).collect();
        let status = Statuses::new(groups.in_order(&statuses, Status::Ok)?);
        let mut places = filled((0, 0), status.len())?;
        for (group, members) in groups.as_slice().iter().enumerate() {
            members.iter().enumerate().for_each(|(place, &b)| places[b] = (group, place));
        }
        let (device, groups, places) = (device.clone(), Arc::new(groups), Arc::new(places));
        Ok(Self { how, device, groups, factors, places, status })
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!(lu.batch(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.status.len()
    }

    /// Order of matrix b.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!((lu.n(0), lu.n(1)), (2, 1));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn n(&self, b: usize) -> usize {
        self.of_group(b).factored().n()
    }

    /// How each matrix fared.
    ///
    /// ```
    /// # use warplu::{Device, Ragged, Status};
    /// let a = Ragged::row_major(&[1.0, 2.0, 2.0, 4.0, 5.0], &[2, 1])?; // the first is singular
    /// assert_eq!(*Device::cpu().lu(&a)?.status(), [Status::Singular(2), Status::Ok]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn status(&self) -> &Statuses {
        &self.status
    }

    /// The factors, or an error if any matrix is singular or not finite.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let told = Device::cpu().lu(&Ragged::row_major(&[0.0], &[1])?)?.check().unwrap_err().to_string();
    /// assert!(told.starts_with("1 of 1 matrices cannot be used; the first is matrix 0"));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Self> {
        self.status.check().map(|()| self)
    }

    /// The factors of matrix b, a batch of one: see [`Lu::factors`] and [`Cholesky::factors`].
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[4.0, 2.0, 1.0, 2.0, 5.0], &[2, 1])?)?;
    /// assert_eq!(lu.factors(0)?.get(0, 1, 0), 0.25);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors, on the first way to the host of the factors of an order.
    ///
    /// # Panics
    /// If there is no matrix b.
    pub fn factors(&self, b: usize) -> Result<Batch<'_, ScalarOf<F>>> {
        let all = &self.of_group(b).factored().host()?.factors;
        let (n, layout) = (all.rows(), all.layout());
        Batch::strided(all.matrix(self.place(b)), 1, n, n, layout)
    }

    /// The factors of the group that matrix b is in.
    fn of_group(&self, b: usize) -> &F {
        &self.factors[self.places[b].0]
    }

    /// Which group matrix b is in.
    fn group(&self, b: usize) -> usize {
        self.places[b].0
    }

    /// Where matrix b is in its group.
    fn place(&self, b: usize) -> usize {
        self.places[b].1
    }
}

impl<T: Element> RaggedLu<T> {
    /// Row interchanges of matrix b, zero-based: row k was swapped with row `pivots[k]`, for k = 0, 1, ... (what
    /// `scipy.linalg.lu_factor` returns).
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!(lu.pivots(0)?, [0, 1]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::factors`].
    ///
    /// # Panics
    /// If there is no matrix b.
    pub fn pivots(&self, b: usize) -> Result<&[u32]> {
        self.of_group(b).pivots(self.place(b))
    }

    /// The interchanges of matrix b as a permutation: row i of PA is row `permutation[i]` of A.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[5.0, 0.0, 2.0, 4.0, 2.0], &[1, 2])?)?;
    /// assert_eq!(lu.permutation(1)?, [1, 0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::factors`].
    ///
    /// # Panics
    /// If there is no matrix b.
    pub fn permutation(&self, b: usize) -> Result<Vec<u32>> {
        self.of_group(b).permutation(self.place(b))
    }
}
