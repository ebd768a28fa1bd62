//! What can go wrong on the way to a GPU.

use thiserror::Error;

/// An error of a GPU or of its driver. Each message says what to do.
///
/// ```
/// use warplu::{CudaError, Device, Error};
/// match Device::cuda(0) {
///     Ok(device) => println!("{device}"),
///     Err(Error::Cuda(CudaError::NoDriver { reason })) => println!("no driver: {reason}"),
///     Err(other) => println!("{other}"),
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The driver library could not be opened.
    #[error("no NVIDIA driver ({reason}): install one, or run on the CPU; in a container, pass the GPUs through")]
    NoDriver {
        /// What the loader said.
        reason: String,
    },

    /// The driver works but sees no GPU.
    #[error(
        "the NVIDIA driver sees no GPU: run nvidia-smi to check, and see whether CUDA_VISIBLE_DEVICES hides it; \
         or run on the CPU"
    )]
    NoDevice,

    /// The process was forked from one that had used the GPU: its driver does not work in a child.
    #[error(
        "this process was forked from one that had used the GPU, and CUDA does not survive that: start processes by \
         spawn or forkserver instead of fork, or fork before the first use of a GPU; or run on the CPU"
    )]
    Forked,

    /// There is no GPU of this number.
    #[error("no GPU {ordinal}: this machine has {count}, numbered from 0")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: u32,
        /// How many there are.
        count: u32,
    },

    /// The driver cannot compile the kernels.
    #[error(
        "the NVIDIA driver (CUDA {driver}) does not take the kernels ({name}), most likely because it is too old: \
         update it, or run on the CPU\
         {}",
        labelled("; its compiler said", log)
    )]
    DriverTooOld {
        /// The newest CUDA version that it supports.
        driver: String,
        /// The driver's name of the error.
        name: String,
        /// What its compiler printed, often nothing.
        log: String,
    },

    /// The GPU is older than the oldest one that there are kernels for.
    #[error(
        "the GPU's compute capability {major}.{minor} is too low: the kernels need {}.{} or higher; run on the CPU",
        lowest / 10, lowest % 10
    )]
    GpuTooOld {
        /// Its compute capability before the dot.
        major: u32,
        /// Its compute capability after the dot.
        minor: u32,
        /// The lowest one with kernels, times ten.
        lowest: u32,
    },

    /// The GPU has too little memory left.
    #[error(
        "out of GPU memory: {wanted} bytes wanted, {free} free; work on fewer matrices at once, or free some memory"
    )]
    OutOfMemory {
        /// The bytes wanted.
        wanted: usize,
        /// The bytes that were free.
        free: usize,
    },

    /// The operating system gave no page-locked memory.
    #[error("out of page-locked memory: {wanted} bytes wanted; work on fewer matrices at once, or free some memory")]
    OutOfHostMemory {
        /// The bytes wanted.
        wanted: usize,
    },

    /// The environment asks for a tier of kernels that there is not, or not for this GPU.
    #[error(
        "{variable} is {value}, which names no tier of kernels that this GPU runs: use one of {tiers}, or unset it"
    )]
    Tier {
        /// The environment variable.
        variable: &'static str,
        /// What it says.
        value: String,
        /// The tiers there are.
        tiers: String,
    },

    /// No kernel of this name was built in.
    #[error("no kernel {entry} for compute capability {}.{}: {reason}; rebuild the kernels", tier / 10, tier % 10)]
    NoKernel {
        /// The kernel's name.
        entry: String,
        /// The tier of kernels that the GPU runs, times ten.
        tier: u32,
        /// What is missing or damaged.
        reason: String,
    },

    /// The driver has no function of this name.
    #[error("the NVIDIA driver has no {function}, most likely because it is too old: update it, or run on the CPU")]
    NoFunction {
        /// The function's name.
        function: &'static str,
    },

    /// Any other error of the driver.
    #[error("{call} failed with {name} ({code}): {}", advice(*code))]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The error's number.
        code: u32,
        /// The error's name.
        name: String,
    },
}

impl CudaError {
    /// Whether the GPU has too little memory left.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::OutOfMemory { .. } | Self::Driver { code: 2, .. })
    }
}

/// `text` behind `label`, or nothing for an empty text.
fn labelled(label: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("{label}: {text}"),
    }
}

/// What to do about an error code of the driver.
fn advice(code: u32) -> &'static str {
    match code {
        2 => "the GPU has too little memory left; free some, or work on fewer matrices at once",
        4 => "the driver has shut down; use the GPU only before the program ends",
        34 => "this is the toolkit's stub of the driver; install the driver itself",
        46 => "another process holds the GPU, or it is broken; see nvidia-smi",
        100 => "the driver has lost its GPU; see nvidia-smi",
        101 => "the GPU has changed or was taken away; restart the program",
        200 | 500 => "the kernel's PTX is damaged or incomplete; rebuild the kernels",
        201 | 709 => "the GPU's context is gone, perhaps by a device reset; restart the program",
        214 | 220 => "the GPU's hardware is at fault; see nvidia-smi",
        221 => "the driver's PTX compiler is missing; install the whole driver (in a container, its compute part)",
        223 => "unset CUDA_DISABLE_PTX_JIT, since the kernels are PTX",
        400 => "a stream, event or address belongs to another GPU or is no longer valid",
        304 => {
            "the operating system refused it, perhaps for its limit of locked memory (ulimit -l); raise it, or copy \
             instead"
        }
        600 => "the work is not done yet; wait for it first",
        700 | 710 | 714..=719 | 721 => {
            "a kernel crashed; restart the program, since this GPU context cannot be used again"
        }
        701 => "the kernel needs more registers or shared memory than the GPU has; please report this",
        702 => "the kernel ran past the display's time limit; use a GPU without a display or fewer matrices at once",
        712 => {
            "this host memory, or a page of it, is registered already; unregister it there, or register all of it once"
        }
        713 => {
            "this host memory is not registered, or was unregistered elsewhere; register and unregister it in one place"
        }
        720 => "the grid is too large for a cooperative launch; please report this",
        800 => "the system does not permit it; see the GPU's compute mode in nvidia-smi and the container's rights",
        801 => "this GPU, driver or system cannot do it; update the driver, or run on the CPU",
        802 => "the machine's GPU fabric is not ready; start nvidia-fabricmanager",
        803 => "the driver's library and its kernel module differ in version; reboot after updating the driver",
        804 => "the installed CUDA compatibility package does not suit this GPU; remove it from the library path",
        805..=810 => "the MPS server is at fault; restart it, or run without it",
        900..=909 => "the stream is being captured into a graph; synchronise outside the capture",
        999 => "the driver does not say why; see nvidia-smi and the system's log, and reboot if it persists",
        _ => "see this error in NVIDIA's CUDA driver manual; please report it if you did nothing unusual",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_numbers() {
        let error = CudaError::NoSuchDevice { ordinal: 3, count: 2 };
        assert_eq!(error.to_string(), "no GPU 3: this machine has 2, numbered from 0");
        let error = CudaError::GpuTooOld { major: 6, minor: 1, lowest: 70 };
        assert!(error.to_string().contains("6.1"));
        assert!(error.to_string().contains("7.0"));
    }

    #[test]
    fn a_compiler_log_is_shown_only_if_there_is_one() {
        let error = |log: &str| CudaError::DriverTooOld {
            driver: "11.4".into(),
            name: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION".into(),
            log: log.into(),
        };
        assert!(error("").to_string().ends_with("run on the CPU"));
        assert!(error("line 1\n").to_string().ends_with("said: line 1"));
    }

    #[test]
    fn other_errors_carry_call_name_and_advice() {
        let error = CudaError::Driver { call: "cuInit", code: 803, name: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH".into() };
        let text = error.to_string();
        assert!(text.starts_with("cuInit failed with CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): "));
        assert!(text.contains("reboot"));
    }
}
