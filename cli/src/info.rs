//! `warplu info`.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::ptx::MODULES;
use kernels_gpu::table;
use numbers::scalar::ScalarKind;
use warplu::Device;

use crate::common::say;

pub(crate) fn run() {
    say(format_args!("warplu {}", env!("CARGO_PKG_VERSION")));
    say("\ndevices");
    let line = |device: &Device| say(format_args!("  {:<8} {}", device.to_string(), device.info()));
    match Device::cuda_count() {
        Ok(count) => {
            for ordinal in 0..count {
                match Device::cuda(ordinal) {
                    Ok(device) => {
                        line(&device);
                        if let Some(speeds) = device.info().speeds() {
                            say(format_args!("  {:<8} {speeds}", ""));
                        }
                    }
                    Err(error) => say(format_args!("  cuda:{ordinal:<3} does not work: {error}")),
                }
            }
        }
        Err(error) => say(format_args!("  cuda     none: {error}")),
    }
    line(&Device::cpu());
    match Device::by_name("sim") {
        Ok(device) => line(&device),
        Err(error) => say(format_args!("  sim      none: {error}")),
    }
    say(format_args!("  auto     is {}", Device::best()));

    say("\nkernels");
    let mut families: Vec<Family> = Vec::new();
    for entry in table::entries() {
        if !families.contains(&entry.family) {
            families.push(entry.family);
        }
    }
    for family in families {
        let entries = || table::entries().filter(move |entry| entry.family == family);
        let kinds = ScalarKind::ALL.into_iter().filter(|&kind| entries().any(|entry| entry.kind == kind));
        let kinds: Vec<_> = kinds.map(ScalarKind::name).collect();
        let mut names: Vec<_> = entries().map(Entry::base_name).collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            say(format_args!("  {:<14} {:<16} {}", family.name(), kinds.join(" "), names.join(" ")));
        }
    }
    let mut tiers: Vec<_> = MODULES.iter().map(|module| module.tier).collect();
    tiers.sort_unstable();
    tiers.dedup();
    let capabilities: Vec<_> = tiers.iter().map(|tier| format!("{}.{}", tier / 10, tier % 10)).collect();
    say(format_args!("  for compute capability {} and higher", capabilities.join(", ")));
}
