//! The PTX that is built into this crate, and the tier of it that a GPU is given.

use std::env;
use std::ffi::CString;
use std::io;
#[cfg(feature = "cuda")]
use std::io::Read;

#[cfg(feature = "cuda")]
use brotli_decompressor::Decompressor;
use kernels_gpu::entry::Entry;
use kernels_gpu::ptx::{self, MODULES, Module};

use super::error::CudaError;

/// Bytes that are decompressed at a time.
#[cfg(feature = "cuda")]
const BUFFER: usize = 1 << 16;
/// Makes all GPUs run the kernels of a tier, such as 80 for compute capability 8.0, that is not above their own.
const FORCED: &str = "WARPLU_TIER";

/// The tier of kernels for a GPU of this compute capability: its own, or a lower one that `WARPLU_TIER` names.
pub(super) fn tier(capability: (u32, u32)) -> Result<u32, CudaError> {
    tier_of(capability, env::var_os(FORCED).map(|value| value.to_string_lossy().into_owned()).as_deref())
}

fn tier_of((major, minor): (u32, u32), forced: Option<&str>) -> Result<u32, CudaError> {
    let own = 10 * major + minor;
    let Some(lowest) = MODULES.iter().map(|module| module.tier).min() else {
        return Ok(own); // each kernel will be missing
    };
    if own < lowest {
        return Err(CudaError::GpuTooOld { major, minor, lowest });
    }
    let Some(forced) = forced.filter(|forced| !forced.is_empty()) else {
        return Ok(own);
    };
    let is_known = |tier: &u32| MODULES.iter().any(|module| module.tier == *tier) && *tier <= own;
    forced.parse().ok().filter(is_known).ok_or_else(|| {
        let mut tiers: Vec<_> = MODULES.iter().map(|module| module.tier).filter(|&tier| tier <= own).collect();
        tiers.sort_unstable();
        tiers.dedup();
        let tiers = tiers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        CudaError::Tier { variable: FORCED, value: forced.to_owned(), tiers }
    })
}

/// The PTX of an entry point for a tier.
pub(super) fn find(entry: &Entry, tier: u32) -> Result<CString, CudaError> {
    let missing = |reason| CudaError::NoKernel { entry: entry.name.to_owned(), tier, reason };
    let module =
        ptx::find(entry.modules, entry.name, tier).ok_or_else(|| missing("this build does not hold it".to_owned()))?;
    unpack(module).map_err(|error| missing(format!("its PTX for {} is damaged: {error}", module.tier)))
}

#[cfg(feature = "cuda")]
fn unpack(module: &Module) -> io::Result<CString> {
    let mut packed = String::new();
    Decompressor::new(module.packed, BUFFER).read_to_string(&mut packed)?;
    Ok(CString::new(ptx::registers::unpack(&packed))?)
}

/// Without the feature `cuda` there is none.
#[cfg(not(feature = "cuda"))]
fn unpack(_: &Module) -> io::Result<CString> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use kernels_gpu::table;

    use super::*;

    #[test]
    fn every_entry_point_has_ptx_from_its_lowest_tier_on() {
        for entry in table::entries() {
            let lowest = entry.tiers.start;
            for tier in [70, 75, 80, 86, 90, 120] {
                match find(entry, tier) {
                    Ok(text) => {
                        let text = text.to_str().unwrap();
                        assert!(tier >= lowest, "{} for {tier}", entry.name);
                        assert!(text.contains(&format!(".visible .entry {}(", entry.name)), "{}", entry.name);
                    }
                    Err(error) => assert!(tier < lowest, "{error}"),
                }
            }
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let entry = table::entries().find(|entry| entry.tiers.start > 70).unwrap();
        let error = find(entry, 70).unwrap_err().to_string();
        assert!(error.contains(entry.name) && error.contains("compute capability 7.0"), "{error}");
        let damaged = Module { entry: "lu", tier: 70, packed: b"no brotli" };
        assert!(unpack(&damaged).is_err());
    }

    #[test]
    fn a_gpu_has_its_own_tier_unless_another_is_forced() {
        assert_eq!(tier_of((9, 0), None).unwrap(), 90);
        assert_eq!(tier_of((8, 9), Some("")).unwrap(), 89);
        assert_eq!(tier_of((9, 0), Some("80")).unwrap(), 80);
        assert_eq!(tier_of((12, 0), Some("70")).unwrap(), 70);
        for (capability, forced) in [((8, 0), "90"), ((9, 0), "75"), ((9, 0), "x")] {
            let error = tier_of(capability, Some(forced)).unwrap_err().to_string();
            assert!(error.contains("WARPLU_TIER") && error.contains("70, 80"), "{error}");
        }
        let error = tier_of((6, 1), None).unwrap_err().to_string();
        assert!(error.contains("need 7.0 or higher"), "{error}");
    }
}
