//! LU factorization of matrices of many orders, to where factors are kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::lu::RaggedLu;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::lend::{Groups, Lent, check_squares, key_of};
use crate::ops::Lu;
use crate::ops::factored::factored;
use crate::ragged::{Ragged, Spot};

impl<T: Element> RaggedLu<T> {
    /// Factors each matrix, those of one order together.
    pub(crate) fn of(device: &Device, a: &Ragged<'_, T>) -> Result<Self> {
        device.check_algorithm()?;
        let n = |b: usize| a.spots[b].shape.rows;
        let lent = [Lent::read(a)];
        check_squares(lent[0].sizes)?;
        let groups = Groups::new(a.batch(), |b| (n(b), key_of(device, &lent, b)), |b| (n(b), 0))?;
        let (most, held) = (most_kept(device, &a.spots)?, AtomicUsize::new(0));
        let factors = groups.each(device, bytes_of(&a.spots), |members| {
            let (n, batch) = (n(members[0]), members.len());
            let bytes = batch * (n * n * size_of::<T::Scalar>() + 4 * n + 4);
            let more = |held: usize| held.checked_add(bytes).filter(|&all| all <= most);
            let before = held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            let may_stay = before.is_ok();
            let device = with_less(device, before.unwrap_or_else(|held| held));
            let factors = factored::<T>(&device, Lent::read(&lent[0].group(members)), may_stay, None)?;
            if may_stay && factors.0.machine_bytes() == 0 {
                held.fetch_sub(bytes, Ordering::Relaxed);
            }
            Ok::<_, Error>((n, factors))
        })?;
        let held: usize = factors.iter().map(|(_, factors)| factors.0.machine_bytes()).sum();
        let lu = factors.into_iter().map(|(n, (factors, layout, status))| {
            // Calls on its factors count these themselves.
            let device = with_less(device, held - factors.machine_bytes());
            Lu::new(&device, n, layout, status, factors)
        });
        Self::new(device, groups, lu.collect())
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
