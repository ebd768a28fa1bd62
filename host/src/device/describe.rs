//! What a device says of itself.

use std::fmt;

use kernels_gpu::table;

use super::Device;
use crate::backend::{Backend, KernelResources};
use crate::error::Result;

/// What a device is, in words and numbers; shown, it says name, memory and driver, of several devices in a line each.
///
/// ```
/// println!("{}", warplu::Device::cpu().info());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DeviceInfo<'a>(&'a Device);

impl Device {
    /// What the device is.
    ///
    /// ```
    /// let info = warplu::Device::cpu().info().to_string();
    /// assert!(info.starts_with("CPU"));
    /// ```
    #[must_use]
    pub fn info(&self) -> DeviceInfo<'_> {
        DeviceInfo(self)
    }
}

impl<'a> DeviceInfo<'a> {
    /// The GPU's name, such as "NVIDIA H200"; `None` for other devices. Of several GPUs it is the first one's.
    ///
    /// ```
    /// assert_eq!(warplu::Device::cpu().info().gpu_name(), None);
    /// ```
    #[must_use]
    pub fn gpu_name(&self) -> Option<&'a str> {
        match self.0.first() {
            Backend::Cuda(cuda) => Some(cuda.gpu.name()),
            _ => None,
        }
    }

    /// The newest CUDA version that the GPU's driver supports, such as "13.0"; `None` for other devices.
    ///
    /// ```
    /// assert_eq!(warplu::Device::cpu().info().driver_version(), None);
    /// ```
    #[must_use]
    pub fn driver_version(&self) -> Option<&'a str> {
        match self.0.first() {
            Backend::Cuda(cuda) => Some(cuda.gpu.driver_version()),
            _ => None,
        }
    }

    /// What bounds a GPU's speed, in a line: its clock, the bandwidth of its memory, and the size of its L2 cache. `None`
    /// for other devices, and where the driver does not tell. Of several GPUs they are the first one's.
    ///
    /// ```
    /// assert_eq!(warplu::Device::cpu().info().speeds(), None);
    /// ```
    #[must_use]
    pub fn speeds(&self) -> Option<String> {
        match self.0.first() {
            Backend::Cuda(cuda) => cuda.gpu.speeds().ok(),
            _ => None,
        }
    }

    /// Bytes of shared memory that a block of a kernel may have; `None` for the CPU, which runs none. Of several GPUs
    /// it is the least.
    ///
    /// ```
    /// assert_eq!(warplu::Device::cpu().info().shared_limit(), None);
    /// ```
    #[must_use]
    pub fn shared_limit(&self) -> Option<u32> {
        match self.0.first() {
            Backend::Cpu => None,
            backend => Some(backend.limits().shared_bytes),
        }
    }

    /// The tier of its kernels, as the compute capability that they ask for at most, times 10; `None` for the CPU,
    /// which runs none. The environment variable `WARPLU_TIER` makes GPUs run those of a lower tier than their own;
    /// several in a list run those of the lowest among them.
    ///
    /// ```
    /// assert_eq!(warplu::Device::sim().info().tier(), Some(90));
    /// ```
    #[must_use]
    pub fn tier(&self) -> Option<u32> {
        match self.0.first() {
            Backend::Cpu => None,
            backend => Some(backend.limits().tier),
        }
    }

    /// The kernels of the device by name, and on a GPU the registers and local memory of each (which loads them all);
    /// of several GPUs those of the first.
    ///
    /// ```
    /// let kernels = warplu::Device::sim().info().kernels()?;
    /// assert!(kernels.iter().any(|(name, _)| *name == "getrf_in_registers_n32_f64"));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's, when it does not take a kernel.
    pub fn kernels(&self) -> Result<Vec<(&'static str, Option<KernelResources>)>> {
        match self.0.first() {
            Backend::Cpu => Ok(Vec::new()),
            backend => {
                let own = table::entries().filter(|entry| entry.tiers.contains(&backend.limits().tier));
                own.map(|entry| Ok((entry.name, backend.resources(entry)?))).collect()
            }
        }
    }
}

impl fmt::Display for DeviceInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.machines() {
            [one] => f.write_str(&describe(one)),
            several => {
                let lines: Vec<_> = several.iter().map(|one| format!("{one}: {}", describe(one))).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

fn describe(backend: &Backend) -> String {
    match backend {
        Backend::Cpu => format!("CPU, {} threads", rayon::current_num_threads()),
        Backend::Sim(_) => format!("emulator of a GPU, blocks over {} threads", rayon::current_num_threads()),
        Backend::Cuda(cuda) => {
            let gpu = &cuda.gpu;
            let (major, minor) = gpu.capability();
            format!(
                "{}, compute capability {major}.{minor}, {} multiprocessors, {:.1} GiB, driver for CUDA {}",
                gpu.name(),
                gpu.multiprocessors(),
                gpu.total_memory() as f64 / f64::from(1 << 30),
                gpu.driver_version()
            )
        }
    }
}

/// As [`Device::by_name`] takes it.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.machines() {
            [first, others @ ..] if matches!(first, Backend::Cuda(_)) => {
                write!(f, "{first}")?;
                others.iter().try_for_each(|other| match other {
                    Backend::Cuda(cuda) => write!(f, ",{}", cuda.gpu.ordinal()),
                    other => write!(f, ",{other}"),
                })
            }
            [one] => write!(f, "{one}"),
            several => write!(f, "{}:{}", self.first(), several.len()),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
