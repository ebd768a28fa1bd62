//! The devices of several ranks.

use warplu::Device;

use super::{WORLD, gather, size};
use crate::failure::{Failure, Result};

/// The device that a rank means by a name: several on a machine take its GPUs in turn, where none is named.
pub(crate) fn by_name(name: &str) -> warplu::Result<Device> {
    match name {
        "cuda" if size() > 1 => gpu_in_turn(),
        "auto" if size() > 1 => Ok(gpu_in_turn().unwrap_or_else(|_| Device::cpu())),
        _ => Device::by_name(name),
    }
}

fn gpu_in_turn() -> warplu::Result<Device> {
    let number = WORLD.get().map_or(0, |world| world.number_on_machine());
    let gpus = Device::cuda_count()?.max(1);
    // Ranks of a machine are fewer than u32 can count.
    Device::cuda(number as u32 % gpus)
}

/// What messages call the devices of all ranks. All of them have one each by now.
pub(crate) fn names(own: &Device) -> Result<String> {
    let all = gather(own.to_string().as_bytes())?;
    let all: Vec<_> = all.iter().map(|name| String::from_utf8_lossy(name)).collect();
    let is_gpu = |name: &str| name.starts_with("cuda");
    if let Some(without) = all.iter().position(|name| !is_gpu(name))
        && all.iter().any(|name| is_gpu(name))
    {
        // Their results would differ in the last bits, and all would wait for the slow one.
        return Err(Failure::Usage(format!(
            "rank {without} found no GPU, but others have: see there what `warplu info` says, or give --device cpu"
        )));
    }
    let mut names: Vec<_> = all.into_iter().map(std::borrow::Cow::into_owned).collect();
    names.sort();
    names.dedup();
    Ok(names.join(", "))
}
