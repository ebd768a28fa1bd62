//! The orders that are verified.

use kernels_gpu::entry::Family;
use kernels_gpu::numbers::scalar::ScalarKind;
use kernels_gpu::shape::Problem;

use super::report::Options;
use crate::backend::Backend;
use crate::choice::{self, Limits};
use crate::device::Device;

/// Last orders of the classes that rows are of.
const CLASS_ENDS: [usize; 8] = [8, 16, 32, 66, 130, 257, 512, usize::MAX];
/// A spread of small orders.
const QUICK: [usize; 14] = [1, 2, 3, 5, 8, 9, 13, 16, 17, 24, 32, 33, 49, 65];
/// Orders beyond the small ones.
const LARGE: [usize; 12] = [96, 100, 127, 128, 129, 130, 190, 255, 256, 257, 512, 1024];

/// The orders to verify, sorted and class by class; no class is empty.
pub(super) fn classes(device: &Device, options: &Options) -> Vec<Vec<usize>> {
    let mut orders = match &options.sizes {
        Some(sizes) => sizes.clone(),
        None => for_device(device, options.quick),
    };
    orders.sort_unstable();
    orders.dedup();
    let class = |n: usize| CLASS_ENDS.iter().position(|&end| n <= end);
    orders.chunk_by(|&a, &b| class(a) == class(b)).map(<[usize]>::to_vec).collect()
}

fn for_device(device: &Device, quick: bool) -> Vec<usize> {
    let mut orders: Vec<usize> = if quick { QUICK.to_vec() } else { (1..=66).collect() };
    match &device.backend {
        // The emulator is slow.
        Backend::Sim(_) if quick => {}
        Backend::Sim(_) => orders.extend([96, 100]),
        Backend::Cpu if quick => orders.extend([100, 129, 257]),
        Backend::Cpu => orders.extend(LARGE),
        Backend::Cuda(_) => {
            orders.extend(boundaries(device.backend.limits()));
            if quick {
                orders.extend([100, 129, 257, 512]);
            } else {
                orders.extend(LARGE);
            }
        }
    }
    orders
}

/// Matrices in a batch of order `n`: numbers that blocks do not divide.
pub(super) fn batch(device: &Device, n: usize) -> usize {
    let slow = matches!(device.backend, Backend::Sim(_));
    match n {
        0..=66 if slow => [5, 1, 7, 4][n % 4],
        0..=32 => [5, 1, 17, 67, 33][n % 5],
        33..=66 => [5, 1, 17, 4][n % 4],
        67..=300 => [5, 4, 3][n % 3],
        _ => 1,
    }
}

/// The orders up to 1024 at which another kernel takes over, and those just before.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
fn boundaries(limits: Limits) -> Vec<usize> {
    let mut orders = Vec::new();
    for family in [Family::Getrf, Family::Getri, Family::Getrs, Family::Inverse, Family::Gesv] {
        for kind in ScalarKind::ALL {
            let variant = |n: u32| {
                choice::find(family, kind, &Problem { n, batch: 1, rhs: 1 }, limits).map(|entry| entry.variant)
            };
            for n in 1..1024 {
                if variant(n) != variant(n + 1) {
                    orders.extend([n as usize, n as usize + 1]);
                }
            }
        }
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_where_kernels_change() {
        let orders = boundaries(Limits { tier: 90, shared_bytes: 227 * 1024 });
        for n in [8, 9, 16, 17, 32, 33] {
            assert!(orders.contains(&n), "{n}");
        }
        assert!(orders.iter().any(|&n| n > 200), "kernels change above 200, too: {orders:?}");
    }

    #[test]
    fn classes_are_sorted_and_complete() {
        let options = Options { sizes: Some(vec![33, 9, 1, 8, 9]), ..Options::default() };
        assert_eq!(classes(&Device::cpu(), &options), [vec![1, 8], vec![9], vec![33]]);
    }
}
