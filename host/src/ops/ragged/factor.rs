//! Factorization of matrices of many orders, to where factors are kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::RaggedFactors;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::lend::{Groups, Lent, check_squares, key_of};
use crate::ops::kept::Factored;
use crate::ops::one_size::{OneSize, ScalarOf};
use crate::ragged::{Ragged, Spot};

impl<F: OneSize> RaggedFactors<F> {
    /// Factors each matrix, those of one order together.
    pub(crate) fn of(device: &Device, how: F::How, a: &Ragged<'_, F::Element>) -> Result<Self> {
        device.check_algorithm()?;
        let n = |b: usize| a.spots[b].shape.rows;
        let lent = [Lent::read(a)];
        check_squares(lent[0].sizes)?;
        let groups = Groups::new(a.batch(), |b| (n(b), key_of(device, &lent, b)), |b| (n(b), 0))?;
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
        let held: usize = factors.iter().map(Factored::machine_bytes).sum();
        let factors = factors.into_iter().map(|factors| {
            // Calls on its factors count these themselves.
            let less = with_less(device, held - factors.machine_bytes());
            F::of(how, factors.on(less))
        });
        Self::new(device, how, groups, factors.collect())
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

/// The device, with so much less memory.
fn with_less(device: &Device, bytes: usize) -> Device {
    match device.memory_limit {
        Some(limit) => device.clone().with_memory_limit(limit.saturating_sub(bytes)),
        None => device.clone(),
    }
}

/// Bytes of a matrix and its factors.
fn bytes_of<T: Element>(spots: &[Spot<T>]) -> impl Fn(usize) -> usize {
    |b| spots[b].shape.len() * (size_of::<T>() + size_of::<T::Scalar>())
}
