//! The orders that are verified.

use kernels_gpu::entry::Family;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;

use super::report::Options;
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::choice::{self, Limits};
use crate::device::Device;
use crate::operation::{Size, factor_cholesky};
use crate::route::Space;

/// Last orders of the classes that rows are of.
const CLASS_ENDS: [usize; 8] = [8, 16, 32, 66, 130, 257, 512, usize::MAX];
/// A spread of small orders.
const QUICK: [usize; 14] = [1, 2, 3, 5, 8, 9, 13, 16, 17, 24, 32, 33, 49, 65];
/// Orders below 513 of which few matrices are factored, or solved with from factors, by many blocks each.
const BY_MANY_BLOCKS: [usize; 9] = [65, 96, 128, 176, 208, 255, 256, 300, 512];
/// Orders up to which other kernels may be chosen for few matrices.
const FEW_ORDERS: usize = 512;
/// The families whose kernels are tuned.
const TUNED: [Family; 5] = [Family::Getrf, Family::Getri, Family::Getrs, Family::Inverse, Family::Gesv];
/// Orders beyond the small ones.
const LARGE: [usize; 12] = [96, 100, 127, 128, 129, 130, 190, 255, 256, 257, 512, 1024];

/// The orders to verify.
pub(super) fn orders(device: &Device, options: &Options) -> Vec<usize> {
    options.sizes.clone().unwrap_or_else(|| for_device(device, options.quick))
}

/// The orders at which positive definite matrices are verified: those that the device factors.
pub(super) fn definite(device: &Device, options: &Options) -> Vec<usize> {
    let single = device.single_of(device.first());
    let factors = |&n: &usize| factor_cholesky::<f32>().route(&single, Size::order(n), &mut Space::default()).is_ok();
    orders(device, options).into_iter().filter(factors).collect()
}

/// The orders at which LU without interchanges is verified: a spread beyond small ones, as one kernel has all orders.
pub(super) fn without_interchanges(device: &Device, options: &Options) -> Vec<usize> {
    let mut orders = orders(device, options);
    if options.sizes.is_none() {
        orders.retain(|&n| n <= 66 || LARGE.contains(&n));
    }
    orders
}

/// Those at which the choice of kernels for few matrices is to be verified: where it is another one.
pub(super) fn of_few(device: &Device, options: &Options) -> Vec<usize> {
    match (device.first(), &options.sizes) {
        (Backend::Cpu, _) | (Backend::Sim(_), None) => Vec::new(),
        // Above, both choices are the same.
        (_, Some(sizes)) => sizes.iter().copied().filter(|&n| n <= FEW_ORDERS).collect(),
        (Backend::Cuda(_), None) => {
            let limits = device.first().limits();
            let other = |&n: &usize| {
                let kernel = |algorithm, family, kind| {
                    let problem = Problem { n: n as u32, batch: 1, rhs: 1 };
                    choice::find(algorithm, family, kind, &problem, limits).map(|entry| entry.variant)
                };
                TUNED.iter().any(|&family| {
                    ScalarKind::ALL
                        .into_iter()
                        .any(|kind| kernel(Algorithm::Auto, family, kind) != kernel(Algorithm::Latency, family, kind))
                })
            };
            let by_one_block = boundaries(Algorithm::Latency, limits).into_iter().filter(other);
            by_one_block.chain(if limits.tier >= 90 { BY_MANY_BLOCKS.to_vec() } else { Vec::new() }).collect()
        }
    }
}

/// Orders class by class; no class is empty.
pub(super) fn classes(mut orders: Vec<usize>) -> Vec<Vec<usize>> {
    orders.sort_unstable();
    orders.dedup();
    let class = |n: usize| CLASS_ENDS.iter().position(|&end| n <= end);
    orders.chunk_by(|&a, &b| class(a) == class(b)).map(<[usize]>::to_vec).collect()
}

fn for_device(device: &Device, quick: bool) -> Vec<usize> {
    let mut orders: Vec<usize> = if quick { QUICK.to_vec() } else { (1..=66).collect() };
    match device.first() {
        // The emulator is slow.
        Backend::Sim(_) if quick => {}
        Backend::Sim(_) => orders.extend([96, 100]),
        Backend::Cpu if quick => orders.extend([100, 129, 257]),
        Backend::Cpu => orders.extend(LARGE),
        Backend::Cuda(_) => {
            orders.extend(boundaries(Algorithm::Auto, device.first().limits()));
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
    let slow = matches!(device.first(), Backend::Sim(_));
    match n {
        // Blocks have several warps where there are many of them.
        17 | 33 | 65 | 129 if matches!(device.first(), Backend::Cuda(_)) => 259,
        0..=66 if slow => [5, 1, 7, 4][n % 4],
        0..=32 => [5, 1, 17, 67, 33][n % 5],
        33..=66 => [5, 1, 17, 4][n % 4],
        67..=300 => [5, 4, 3][n % 3],
        _ => 1,
    }
}

/// The orders up to 1024 at which another kernel takes over, and those just before.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
fn boundaries(algorithm: Algorithm, limits: Limits) -> Vec<usize> {
    let mut orders = Vec::new();
    for (family, rhs) in TUNED.map(|family| (family, 1)).into_iter().chain([(Family::Getrs, 64)]) {
        for kind in ScalarKind::ALL {
            let variant = |n: u32| {
                let problem = Problem { n, batch: 1, rhs };
                choice::find(algorithm, family, kind, &problem, limits).map(|entry| entry.variant)
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
        let orders = boundaries(Algorithm::Auto, Limits { tier: 90, shared_bytes: 227 * 1024 });
        for n in [8, 9, 16, 17, 32, 33] {
            assert!(orders.contains(&n), "{n}");
        }
        assert!(orders.iter().any(|&n| n > 200), "kernels change above 200, too: {orders:?}");
    }

    #[test]
    fn classes_are_sorted_and_complete() {
        let options = Options { sizes: Some(vec![33, 9, 1, 8, 9]), ..Options::default() };
        let found = orders(&Device::cpu(), &options);
        assert_eq!(classes(found), [vec![1, 8], vec![9], vec![33]]);
        assert!(of_few(&Device::cpu(), &options).is_empty(), "the CPU has one choice");
    }
}
