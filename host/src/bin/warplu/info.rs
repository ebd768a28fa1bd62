//! `warplu info`.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::ptx::ARCHIVES;
use kernels_gpu::scalar::ScalarKind;
use warplu::Device;

use crate::common::say;

const VARIANTS: [Variant; 8] = [
    Variant::Only,
    Variant::Warp8,
    Variant::Warp16,
    Variant::Warp32,
    Variant::Shared,
    Variant::Global,
    Variant::F16,
    Variant::Bf16,
];

pub(crate) fn run() {
    say(format_args!("warplu {}", env!("CARGO_PKG_VERSION")));
    say("\ndevices");
    let line = |device: &Device| say(format_args!("  {:<8} {}", device.to_string(), device.description()));
    match Device::cuda_count() {
        Ok(count) => {
            for ordinal in 0..count {
                match Device::cuda(ordinal) {
                    Ok(device) => line(&device),
                    Err(error) => say(format_args!("  cuda:{ordinal:<3} does not work: {error}")),
                }
            }
        }
        Err(error) => say(format_args!("  cuda     none: {error}")),
    }
    line(&Device::cpu());
    line(&Device::sim());
    say(format_args!("  auto     is {}", Device::best()));

    say("\nkernels");
    for family in Family::ALL {
        let has = |&variant: &Variant| ScalarKind::ALL.iter().any(|&kind| Entry::find(family, variant, kind).is_some());
        let of = |&kind: &ScalarKind| VARIANTS.iter().any(|&variant| Entry::find(family, variant, kind).is_some());
        let kinds = ScalarKind::ALL.iter().filter(|kind| of(kind)).map(|kind| kind.name());
        let variants = VARIANTS.iter().filter(|variant| has(variant)).map(|v| format!("{v:?}").to_lowercase());
        let (kinds, variants): (Vec<_>, Vec<_>) = (kinds.collect(), variants.collect());
        say(format_args!("  {:<8} {:<16} {}", family.name(), kinds.join(" "), variants.join(" ")));
    }
    let mut capabilities: Vec<_> = ARCHIVES.iter().map(|a| format!("{}.{}", a.sm / 10, a.sm % 10)).collect();
    capabilities.dedup();
    say(format_args!("  for compute capability {} and higher", capabilities.join(", ")));
}
