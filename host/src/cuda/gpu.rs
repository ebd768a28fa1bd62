//! The GPUs of the machine.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use cust::device::{Device, DeviceAttribute};
use cust::sys::CUdevice_attribute;

use super::call::{call, name};
use super::context::Context;
use super::driver;
use super::error::CudaError;
use super::function::Function;
use super::modules::Modules;

/// The GPUs in use, so that opening one twice shares its compiled kernels.
static OPEN: Mutex<Vec<(u32, Weak<Gpu>)>> = Mutex::new(Vec::new());

/// A GPU in use. It holds the device's primary context.
#[derive(Debug)]
pub(crate) struct Gpu {
    ordinal: u32,
    name: String,
    capability: (u32, u32),
    total_memory: usize,
    multiprocessors: u32,
    max_shared_bytes: u32,
    driver_version: String,
    modules: Modules,
    context: Arc<Context>,
}

impl Gpu {
    /// How many GPUs the driver sees. None is an error, as is a missing driver.
    pub(crate) fn count() -> Result<u32, CudaError> {
        driver::load()?;
        match Device::num_devices().map_err(from_cust("cuDeviceGetCount"))? {
            0 => Err(CudaError::NoDevice),
            count => Ok(count),
        }
    }

    /// Opens the GPU of this number, or returns it if it is already open.
    pub(crate) fn open(ordinal: u32) -> Result<Arc<Self>, CudaError> {
        let count = Self::count()?;
        if ordinal >= count {
            return Err(CudaError::NoSuchDevice { ordinal, count });
        }
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, gpu)| gpu.strong_count() > 0);
        let known = open.iter().find(|(known, _)| *known == ordinal);
        if let Some(gpu) = known.and_then(|(_, gpu)| gpu.upgrade()) {
            return Ok(gpu);
        }
        let gpu = Arc::new(Self::start(ordinal)?);
        open.push((ordinal, Arc::downgrade(&gpu)));
        Ok(gpu)
    }

    fn start(ordinal: u32) -> Result<Self, CudaError> {
        let device = Device::get_device(ordinal).map_err(from_cust("cuDeviceGet"))?;
        let attribute = |attribute| {
            let value = device.get_attribute(attribute).map_err(from_cust("cuDeviceGetAttribute"))?;
            Ok::<_, CudaError>(value.unsigned_abs())
        };
        // cust does not list this attribute.
        let optin = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let mut max_shared_bytes = 0;
        // SAFETY: writes one integer.
        unsafe { call!(cuDeviceGetAttribute(&mut max_shared_bytes, optin, device.as_raw())) }?;
        Ok(Self {
            ordinal,
            name: device.name().map_err(from_cust("cuDeviceGetName"))?,
            capability: (
                attribute(DeviceAttribute::ComputeCapabilityMajor)?,
                attribute(DeviceAttribute::ComputeCapabilityMinor)?,
            ),
            total_memory: device.total_memory().map_err(from_cust("cuDeviceTotalMem_v2"))?,
            multiprocessors: attribute(DeviceAttribute::MultiprocessorCount)?,
            max_shared_bytes: max_shared_bytes.unsigned_abs(),
            driver_version: driver::version()?,
            modules: Modules::default(),
            context: Arc::new(Context::retain(device)?),
        })
    }

    /// Its number.
    pub(crate) fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Its name, such as "NVIDIA H200".
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its compute capability, such as (9, 0).
    pub(crate) fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// All of its memory, in bytes.
    pub(crate) fn total_memory(&self) -> usize {
        self.total_memory
    }

    /// The memory that is free at this moment, in bytes.
    pub(crate) fn free_memory(&self) -> Result<usize, CudaError> {
        free_memory(&self.context)
    }

    /// The number of its multiprocessors.
    pub(crate) fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// The most shared memory of a block, in bytes, for a kernel that asks for it.
    pub(crate) fn max_shared_bytes(&self) -> u32 {
        self.max_shared_bytes
    }

    /// The newest CUDA version that the driver supports, such as "13.0".
    pub(crate) fn driver_version(&self) -> &str {
        &self.driver_version
    }

    /// The kernel of this name, compiled by the driver on first use.
    pub(crate) fn function(&self, entry: &str) -> Result<Arc<Function>, CudaError> {
        self.modules.function(&self.context, self.capability, entry)
    }

    /// What everything on this GPU holds.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

/// The free memory of a context's device, in bytes.
pub(super) fn free_memory(context: &Context) -> Result<usize, CudaError> {
    let _bound = context.bind()?;
    let (free, _total) = cust::memory::mem_get_info().map_err(from_cust("cuMemGetInfo_v2"))?;
    Ok(free)
}

/// cust's errors of a call as this crate's.
fn from_cust(call: &'static str) -> impl Fn(cust::error::CudaError) -> CudaError {
    move |error| CudaError::Driver { call, code: error as u32, name: name(error as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_without_a_gpu_says_what_is_missing() {
        match Gpu::open(0) {
            Ok(gpu) => assert_eq!(gpu.ordinal(), 0),
            Err(error @ CudaError::NoDriver { .. }) => {
                assert!(error.to_string().starts_with("no NVIDIA driver ("));
            }
            Err(error) => assert_eq!(error, CudaError::NoDevice),
        }
    }

    #[test]
    fn opening_too_high_a_number_says_how_many_there_are() {
        if let Ok(count) = Gpu::count() {
            let error = Gpu::open(count).unwrap_err();
            let expected = CudaError::NoSuchDevice { ordinal: count, count };
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn everything_crosses_threads() {
        fn crosses<T: Send + Sync>() {}
        crosses::<Gpu>();
        crosses::<Function>();
        crosses::<crate::cuda::Event>();
        crosses::<crate::cuda::Memory>();
        crosses::<crate::cuda::module::Module>();
        crosses::<crate::cuda::Pinned>();
        crosses::<crate::cuda::Stream>();
    }
}
