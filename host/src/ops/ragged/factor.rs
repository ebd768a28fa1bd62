//! LU factorization of matrices of many orders.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::groups::{Groups, layout_key};
use super::lu::RaggedLu;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::operation::{self, Size};
use crate::ops::factored::{Input, factored};
use crate::ops::{Lu, checks};
use crate::ragged::{Ragged, RaggedMut, Spot, Spots, check_square};
use crate::status::Status;
use kernels_cpu::fresh::filled;

impl Device {
    /// Factors each matrix of a ragged batch, PA = LU with partial pivoting; see [`Device::lu`].
    ///
    /// ```
    /// use warplu::{Device, Ragged};
    /// let a = [1.0, 2.0, 4.0, 2.0, 5.0];
    /// let lu = Device::cpu().lu_ragged(&Ragged::c_order(&a, &[2, 1])?)?;
    /// assert_eq!((lu.factors(0)?.get(0, 1, 0), lu.factors(1)?.get(0, 0, 0)), (0.25, 5.0));
    /// assert_eq!((lu.pivots(0)?, lu.pivots(1)?), (&[1, 1][..], &[0][..]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if a matrix is not square; a device's errors. Singular matrices are no error: see
    /// [`RaggedLu::status`].
    pub fn lu_ragged<T: Element>(&self, a: &Ragged<'_, T>) -> Result<RaggedLu<T>> {
        let groups = groups_of(self, &a.spots, &a.spots)?;
        let (most, held) = (most_kept(self, &a.spots)?, AtomicUsize::new(0));
        let factors = groups.each(self, bytes_of(&a.spots), |members| {
            // SAFETY: borrowed to be read.
            let from = unsafe { Spots::of(&a.spots, members) };
            let (n, batch) = (from.shape().rows, members.len());
            let bytes = batch * (n * n * size_of::<T::Scalar>() + 4 * n + 4);
            let more = |held: usize| held.checked_add(bytes).filter(|&all| all <= most);
            let before = held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            let may_stay = before.is_ok();
            let device = with_less(self, before.unwrap_or_else(|held| held));
            let factors = factored(&device, &Group { from, may_stay }, None)?;
            if may_stay && factors.0.machine_bytes() == 0 {
                held.fetch_sub(bytes, Ordering::Relaxed);
            }
            Ok((n, factors))
        })?;
        let held: usize = factors.iter().map(|(_, factors)| factors.0.machine_bytes()).sum();
        let lu = factors.into_iter().map(|(n, (factors, layout, status))| {
            // Calls on its factors count these themselves.
            let device = with_less(self, held - factors.machine_bytes());
            Lu::new(&device, n, layout, status, factors)
        });
        RaggedLu::new(self, groups, lu.collect())
    }

    /// As [`Device::lu_ragged`], into memory of the caller's: U with L below its diagonal, the pivots of one matrix
    /// after those of the other, statuses.
    ///
    /// ```
    /// use warplu::{Device, Ragged, RaggedMut, Status};
    /// let a = Ragged::c_order(&[1.0, 2.0, 4.0, 2.0, 5.0], &[2, 1])?;
    /// let (mut lu, mut pivots, mut status) = ([0.0; 5], [0; 3], [Status::Ok; 2]);
    /// Device::cpu().lu_ragged_into(&a, &mut RaggedMut::c_order(&mut lu, &[2, 1])?, &mut pivots, &mut status)?;
    /// assert_eq!((lu, pivots), ([4.0, 2.0, 0.25, 1.5, 5.0], [1, 1, 0]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu_ragged`], and [`Error::Shape`] if an output is not of the input's sizes. After an error of the
    /// device, outputs are partly written.
    pub fn lu_ragged_into<T: Element>(
        &self,
        a: &Ragged<'_, T>,
        factors: &mut RaggedMut<'_, T::Scalar>,
        pivots: &mut [u32],
        status: &mut [Status],
    ) -> Result<()> {
        checks::ragged_output(&factors.spots, &a.spots)?;
        checks::length(status, a.batch(), "statuses")?;
        // SAFETY: both are borrowed, and outputs are apart from each other.
        checks::hand_over(&unsafe { factor::<T>(self, &a.spots, &factors.spots, pivots)? }, status);
        Ok(())
    }

    /// As [`Device::lu_ragged_into`], the factors in the place of the matrices. 16-bit types, whose factors are in f32,
    /// have none.
    ///
    /// ```
    /// use warplu::{Device, RaggedMut, Status};
    /// let (mut a, mut pivots, mut status) = ([1.0, 2.0, 4.0, 2.0, 5.0], [0; 3], [Status::Ok; 2]);
    /// Device::cpu().lu_ragged_in_place(&mut RaggedMut::c_order(&mut a, &[2, 1])?, &mut pivots, &mut status)?;
    /// assert_eq!((a, pivots), ([4.0, 2.0, 0.25, 1.5, 5.0], [1, 1, 0]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu_ragged_into`]. After an error of the device, some matrices are factored and some are not.
    pub fn lu_ragged_in_place<T: Element<Scalar = T>>(
        &self,
        a: &mut RaggedMut<'_, T>,
        pivots: &mut [u32],
        status: &mut [Status],
    ) -> Result<()> {
        checks::length(status, a.batch(), "statuses")?;
        // SAFETY: borrowed, and apart from each other.
        checks::hand_over(&unsafe { factor::<T>(self, &a.spots, &a.spots, pivots)? }, status);
        Ok(())
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

/// Matrices of one order that are to be factored.
struct Group<'a, T> {
    from: Spots<'a, T>,
    may_stay: bool,
}

/// The device, with so much less memory.
fn with_less(device: &Device, bytes: usize) -> Device {
    match device.memory_limit {
        Some(limit) => device.clone().with_memory_limit(limit.saturating_sub(bytes)),
        None => device.clone(),
    }
}

fn groups_of<T: Element, U: Element>(device: &Device, from: &[Spot<T>], to: &[Spot<U>]) -> Result<Groups> {
    check_square(from)?;
    device.check_algorithm()?;
    let n = |b: usize| from[b].shape.rows;
    Groups::new(from.len(), |b| (n(b), layout_key(device, &from[b]), layout_key(device, &to[b])), |b| (n(b), 0))
}

/// Bytes of a matrix and its factors.
fn bytes_of<T: Element>(spots: &[Spot<T>]) -> impl Fn(usize) -> usize {
    |b| spots[b].shape.len() * (size_of::<T>() + size_of::<T::Scalar>())
}

/// Factors matrices and returns their status codes; `to` may be `from`.
///
/// # Safety
/// Matrices are there, and nobody else touches them. Those of `to` are apart from each other and from those of `from`
/// but for their own.
unsafe fn factor<T: Element>(
    device: &Device,
    from: &[Spot<T>],
    to: &[Spot<T::Scalar>],
    pivots: &mut [u32],
) -> Result<Vec<i32>> {
    let groups = groups_of(device, from, to)?;
    let n = |b: usize| from[b].shape.rows;
    checks::length(pivots, (0..from.len()).map(n).sum(), "pivots")?;
    let parts = groups.each(device, bytes_of(from), |members| {
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (Spots::of(from, members), Spots::of(to, members)) };
        let (n, batch) = (from.shape().rows, members.len());
        let mut pivots = filled(0, batch * n)?;
        let mut call = Call::new(device, batch);
        call.gather(&from);
        call.scatter(&to);
        call.values(&mut pivots, n);
        let codes = call.perform(&operation::factor_lu::<T>(), Size::order(n))?;
        Ok::<_, Error>((codes, pivots))
    })?;
    let mut starts = filled(0, from.len())?;
    let mut end = 0;
    for (b, start) in starts.iter_mut().enumerate() {
        (*start, end) = (end, end + n(b));
    }
    for (members, (_, own)) in groups.as_slice().iter().zip(&parts) {
        for (place, &b) in members.iter().enumerate() {
            pivots[starts[b]..][..n(b)].copy_from_slice(&own[place * n(b)..][..n(b)]);
        }
    }
    groups.in_order(&parts.into_iter().map(|(codes, _)| codes).collect::<Vec<_>>(), 0)
}

impl<T: Element> Input<T> for Group<'_, T> {
    fn order(&self) -> Result<usize> {
        Ok(self.from.shape().rows) // squares, as was checked
    }

    fn batch(&self) -> usize {
        self.from.as_slice().len()
    }

    fn output_layout(&self) -> Layout {
        self.from.compact()
    }

    fn port<'c>(&'c self, call: &mut Call<'c>) {
        call.gather(&self.from);
    }

    fn may_stay(&self) -> bool {
        self.may_stay
    }
}
