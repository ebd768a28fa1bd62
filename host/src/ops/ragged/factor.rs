//! Factorization of matrices of many orders, to where factors are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{RaggedCholesky, RaggedFactors, RaggedLu};
use crate::batch::Batch;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::lend::{Groups, Lent, check_squares, key_of};
use crate::ops::kept::{Factored, with_less};
use crate::ops::one_size::{OneSize, ScalarOf};
use crate::ops::{Cholesky, Lu, checks};
use crate::ragged::{Ragged, Spot};
use crate::triangle::Triangle;
use kernels_cpu::fresh::filled;
use numbers::scalar::Scalar;

impl<T: Element> RaggedLu<T> {
    /// Factors that were made before, by warplu or LAPACK, and the pivots of all matrices, one after the other, counted from
    /// 0; see [`Lu::from_parts`].
    ///
    /// ```
    /// use warplu::{Device, Op, Ragged, RaggedLu};
    /// let factors = Ragged::row_major(&[4.0, 2.0, 0.25, 1.5, 8.0], &[2, 1])?; // of [1 2; 4 2] and [8]
    /// let lu = RaggedLu::<f64>::from_parts(&Device::cpu(), &factors, &[1, 1, 0])?;
    /// let b = Ragged::row_major(&[3.0, 6.0, 8.0], &[(2, 1), (1, 1)])?;
    /// assert_eq!(lu.solve(&b, Op::None)?.x.as_slice(), [1.0, 1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::from_parts`].
    pub fn from_parts(device: &Device, factors: &Ragged<'_, T::Scalar>, pivots: &[u32]) -> Result<Self> {
        let mut ends = filled(0, factors.batch())?;
        let rows = ends.iter_mut().enumerate().fold(0, |start, (b, end)| {
            *end = start + factors.shape(b).rows;
            *end
        });
        checks::length(pivots, rows, "pivots")?;
        let of_matrix = |b: usize| &pivots[ends[b] - factors.shape(b).rows..ends[b]];
        (0..factors.batch()).try_for_each(|b| checks::pivots(b, of_matrix(b)))?;
        Self::of_groups(device, (), factors, |device, of_group, members| {
            let mut own = filled(0, product(&[members.len(), of_group.rows()])?)?;
            own.iter_mut().zip(members.iter().flat_map(|&b| of_matrix(b))).for_each(|(own, pivot)| *own = *pivot);
            Lu::from_parts(device, of_group, &own)
        })
    }
}

impl<T: Element> RaggedCholesky<T> {
    /// Factors that were made before, by warplu or LAPACK, in this triangle; see [`Cholesky::from_parts`].
    ///
    /// ```
    /// use warplu::{Device, Ragged, RaggedCholesky, Triangle};
    /// let l = Ragged::row_major(&[2.0, 0.0, 1.0, 3.0, 4.0], &[2, 1])?; // of [4 2; 2 10] and [16]
    /// let cholesky = RaggedCholesky::<f64>::from_parts(&Device::cpu(), &l, Triangle::Lower)?;
    /// assert_eq!(cholesky.det()?.values, [36.0, 16.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::from_parts`].
    pub fn from_parts(device: &Device, factors: &Ragged<'_, T::Scalar>, triangle: Triangle) -> Result<Self> {
        Self::of_groups(device, triangle, factors, |device, of_group, _| {
            Cholesky::from_parts(device, of_group, triangle)
        })
    }
}

impl<F: OneSize> RaggedFactors<F> {
    /// Factors other matrices, in the memory of these factors where they are of the same orders and nobody else has a
    /// clone; see [`Lu::refactor`].
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let mut lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// lu.refactor(&Ragged::row_major(&[3.0, 0.0, 0.0, 3.0, 5.0], &[2, 1])?)?;
    /// assert_eq!(lu.det()?.values, [9.0, 5.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu`]; then there are no factors of anything, but those of no matrices.
    pub fn refactor(&mut self, a: &Ragged<'_, F::Element>) -> Result<()> {
        let none = Self::new(&self.device, self.how, Groups::new(0, |_| (), |_| (0, 0))?, Vec::new())?;
        let Self { how, device, groups, mut factors, .. } = std::mem::replace(self, none);
        let lent = Lent::read(a);
        let are_same = Self::groups(&device, a)?.as_slice() == groups.as_slice()
            && groups
                .as_slice()
                .iter()
                .zip(&factors)
                .all(|(members, of)| a.shape(members[0]) == of.factored().n().into());
        if !are_same {
            drop(factors); // there is room for others
            *self = Self::of(&device, how, a)?;
            return Ok(());
        }
        for (members, factors) in groups.as_slice().iter().zip(&mut factors) {
            let factored = factors.factored_mut();
            let stays = factored.machine_bytes() > 0;
            factored.refactor(&F::factoring(how), Lent::read(&lent.group(members)), stays)?;
        }
        *self = Self::new(&device, how, Arc::unwrap_or_clone(groups), factors)?;
        Ok(())
    }

    /// The factors that `make` has of each group of one order, of copies of what is given.
    fn of_groups(
        device: &Device,
        how: F::How,
        given: &Ragged<'_, ScalarOf<F>>,
        make: impl Fn(&Device, &Batch<'_, ScalarOf<F>>, &[usize]) -> Result<F>,
    ) -> Result<Self> {
        check_squares(Lent::read(given).sizes)?;
        let order = |b: usize| given.shape(b).rows;
        let groups = Groups::new(given.batch(), order, |b| (order(b), 0))?;
        let (mut held, mut factors) = (0, Vec::new());
        for members in groups.as_slice() {
            let (n, count) = (order(members[0]), members.len());
            let mut elements = filled(ScalarOf::<F>::ZERO, product(&[count, n, n])?)?;
            for (at, x) in elements.iter_mut().enumerate() {
                *x = given.get(members[at / (n * n)], at / n % n, at % n);
            }
            let of_group = make(&with_less(device, held), &Batch::row_major(&elements, count, n, n)?, members)?;
            held += of_group.factored().machine_bytes();
            factors.push(of_group.factored().clone());
        }
        Self::settled(device, how, groups, factors)
    }

    /// Factors of groups, whose calls count those of the others, too.
    fn settled(device: &Device, how: F::How, groups: Groups, factors: Vec<Factored<ScalarOf<F>>>) -> Result<Self> {
        let held: usize = factors.iter().map(Factored::machine_bytes).sum();
        let factors = factors.into_iter().map(|factors| {
            // Calls on its factors count these themselves.
            let less = with_less(device, held - factors.machine_bytes());
            F::of(how, factors.on(less))
        });
        Self::new(device, how, groups, factors.collect())
    }

    /// Those of one order and one way to lie.
    fn groups(device: &Device, a: &Ragged<'_, F::Element>) -> Result<Groups> {
        let (n, lent) = (|b: usize| a.spots[b].shape.rows, [Lent::read(a)]);
        check_squares(lent[0].sizes)?;
        Groups::new(a.batch(), |b| (n(b), key_of(device, &lent, b)), |b| (n(b), 0))
    }

    /// Factors each matrix, those of one order together.
    pub(crate) fn of(device: &Device, how: F::How, a: &Ragged<'_, F::Element>) -> Result<Self> {
        device.check_algorithm()?;
        let n = |b: usize| a.spots[b].shape.rows;
        let (lent, groups) = ([Lent::read(a)], Self::groups(device, a)?);
        let operation = F::factoring(how);
        let (most, held) = (most_kept(device, &a.spots)?, AtomicUsize::new(0));
        let factors = groups.each(device, bytes_of(&a.spots), |members| {
            let (n, batch) = (n(members[0]), members.len());
            let bytes = batch * (n * n * size_of::<ScalarOf<F>>() + 4 * n + 4);
            let more = |held: usize| held.checked_add(bytes).filter(|&all| all <= most);
            let before = held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            let may_stay = before.is_ok();
            let device = with_less(device, before.unwrap_or_else(|held| held));
            let group = lent[0].group(members);
            let factors = Factored::<ScalarOf<F>>::made(&device, &operation, Lent::read(&group), may_stay, None)?;
            if may_stay && factors.machine_bytes() == 0 {
                held.fetch_sub(bytes, Ordering::Relaxed);
            }
            Ok(factors)
        })?;
        Self::settled(device, how, groups, factors)
    }
}

/// Bytes of a machine's memory that may hold factors of all groups together. What calls on any of them bring along needs
/// a quarter of it, and that is four of the largest matrices at least.
fn most_kept<T: Element>(device: &Device, spots: &[Spot<T>]) -> Result<usize> {
    if !device.has_own_memory() {
        return Ok(0);
    }
    let budget = match device.memory_limit {
        Some(limit) => limit,
        None => device.first().memory_budget()?,
    };
    let largest = spots.iter().map(|spot| spot.shape.len()).max().unwrap_or(0) * size_of::<T::Scalar>();
    Ok(budget.saturating_sub((budget / 4).max(4 * largest)))
}

/// Bytes of a matrix and its factors.
fn bytes_of<T: Element>(spots: &[Spot<T>]) -> impl Fn(usize) -> usize {
    |b| spots[b].shape.len() * (size_of::<T>() + size_of::<T::Scalar>())
}
