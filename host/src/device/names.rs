//! Devices by name.

use kernels_gpu::entry::EMULATED;

use super::Device;
use crate::error::{Error, Result};

impl Device {
    /// A device by name.
    ///
    /// | name | device |
    /// | --- | --- |
    /// | `auto` | GPU 0 if one answers, else the CPU ([`Device::best`]) |
    /// | `cpu` | the CPU |
    /// | `cuda`, `cuda:K` | GPU 0, GPU K |
    /// | `cuda:0,1`, `cuda:all` | several GPUs, all GPUs ([`Device::cuda_list`], [`Device::cuda_all`]) |
    /// | `sim`, `sim:N` | an emulator, N of them ([`Device::sim`], [`Device::sims`]) |
    ///
    /// ```
    /// let device = warplu::Device::by_name("cpu")?;
    /// assert!(warplu::Device::by_name("tpu").is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] for another name, [`Error::NoEmulator`] for emulators in a build without the feature
    /// `emulator`, else as the functions above.
    pub fn by_name(name: &str) -> Result<Self> {
        let unknown = || Error::UnknownDevice(name.to_owned());
        let (kind, which) = name.split_once(':').map_or((name, None), |(kind, which)| (kind, Some(which)));
        match (kind, which) {
            ("auto", None) => Ok(Self::best()),
            ("cpu", None) => Ok(Self::cpu()),
            ("sim", _) if !EMULATED => Err(Error::NoEmulator),
            ("sim", None) => Ok(Self::sim()),
            ("sim", Some(count)) => Self::sims(number(count).ok_or_else(unknown)?),
            ("cuda", None) => Self::cuda(0),
            ("cuda", Some("all")) => Self::cuda_all(),
            ("cuda", Some(list)) => {
                let ordinals: Option<Vec<u32>> = list.split(',').map(number).collect();
                Self::cuda_list(&ordinals.ok_or_else(unknown)?)
            }
            _ => Err(unknown()),
        }
    }
}

/// A number in digits, without a sign.
fn number<N: std::str::FromStr>(text: &str) -> Option<N> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_devices_say() {
        for name in ["cpu", "sim", "sim:3"] {
            match Device::by_name(name) {
                Ok(device) => assert_eq!(device.to_string(), name),
                Err(error) => assert!(!EMULATED && matches!(error, Error::NoEmulator), "{name}: {error}"),
            }
        }
    }

    #[test]
    fn other_names_are_errors_with_the_remedy() {
        let others = ["", "tpu", "cpu:0", "auto:1", "cuda:", "cuda:x", "cuda:0,", "cuda:,1", "cuda:0;1", "cuda:+1"];
        for name in others.into_iter().chain(["cuda:-1", "cuda:0 ,1", "cuda:all,0", "cuda:99999999999"]) {
            let error = Device::by_name(name).unwrap_err();
            assert!(matches!(&error, Error::UnknownDevice(unknown) if unknown == name), "{name}: {error}");
            let text = error.to_string();
            assert!(["cuda:all", "cuda:0,1", "sim:N"].iter().all(|form| text.contains(form)), "{text}");
        }
        if EMULATED {
            for name in ["sim:", "sim:x", "sim:1,2", "sim:all"] {
                assert!(matches!(Device::by_name(name), Err(Error::UnknownDevice(_))), "{name}");
            }
            for name in ["sim:0", "sim:65"] {
                assert!(Device::by_name(name).unwrap_err().to_string().contains("1 to 64"), "{name}");
            }
        }
    }
}
