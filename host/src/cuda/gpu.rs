//! The GPUs of the machine.

use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kernels_gpu::entry::Entry;

use super::call::call;
use super::context::{Bound, Context};
use super::error::CudaError;
use super::function::Function;
use super::functions::Functions;
use super::init;
use super::ptx;
use super::table::{
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CUdevice,
};

/// How much of a GPU's name is kept, in bytes.
const NAME_BYTES: usize = 256;

/// The GPUs in use, so that opening one twice shares its compiled kernels.
static OPEN: Mutex<Vec<(u32, Weak<Gpu>)>> = Mutex::new(Vec::new());

/// A GPU in use. It holds the device's primary context.
#[derive(Debug)]
pub(crate) struct Gpu {
    ordinal: u32,
    name: String,
    capability: (u32, u32),
    tier: u32,
    total_memory: usize,
    multiprocessors: u32,
    max_shared_bytes: u32,
    driver_version: String,
    functions: Functions,
    context: Arc<Context>,
}

impl Gpu {
    /// How many GPUs the driver sees. None is an error, as is a missing driver.
    pub(crate) fn count() -> Result<u32, CudaError> {
        init::load()?;
        let mut count = 0;
        // SAFETY: writes one integer.
        unsafe { call!(cuDeviceGetCount(&mut count)) }?;
        match count {
            0 => Err(CudaError::NoDevice),
            count => Ok(count.unsigned_abs()),
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
        let mut device = 0;
        // SAFETY: writes one integer.
        unsafe { call!(cuDeviceGet(&mut device, ordinal.cast_signed())) }?;
        let attribute = |which| attribute(device, which);
        let mut total_memory = 0;
        // SAFETY: writes one integer.
        unsafe { call!(cuDeviceTotalMem_v2(&mut total_memory, device)) }?;
        let capability = (
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        Ok(Self {
            ordinal,
            name: name(device)?,
            capability,
            tier: ptx::tier(capability)?,
            total_memory,
            multiprocessors: attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            max_shared_bytes: attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            driver_version: init::version()?,
            functions: Functions::default(),
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

    /// The tier of kernels that it runs: the compute capability that they ask for at most, times 10.
    pub(crate) fn tier(&self) -> u32 {
        self.tier
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

    /// What bounds its speed: clock, bandwidth of memory, and the size of the L2 cache.
    pub(crate) fn speeds(&self) -> Result<String, CudaError> {
        let attribute = |which| attribute(self.context.device(), which);
        let (clock, cache) =
            (attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?, attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?);
        let memory_clock = f64::from(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?);
        let bus_bytes = f64::from(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?) / 8.0;
        // Clocks are in kHz. Memory sends twice in each of its cycles.
        let bandwidth = 2e3 * memory_clock * bus_bytes;
        Ok(format!("{} MHz, memory {:.0} GB/s, L2 cache {} MiB", clock / 1000, bandwidth / 1e9, cache >> 20))
    }

    /// The kernel of an entry point as GPUs of a tier run it, which is not above this one's: compiled by the driver on
    /// first use. After that this takes no lock.
    pub(crate) fn function(&self, tier: u32, entry: &'static Entry) -> Result<&Function, CudaError> {
        self.functions.get(&self.context, tier, entry)
    }

    /// Makes the GPU's context current on this thread until the guard drops. Each call does so itself; who makes
    /// several spares them the switching.
    pub(crate) fn bind(&self) -> Result<Bound<'_>, CudaError> {
        self.context.bind()
    }

    /// What everything on this GPU holds.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

/// The free memory of a context's device, in bytes.
pub(super) fn free_memory(context: &Context) -> Result<usize, CudaError> {
    let _bound = context.bind()?;
    let (mut free, mut total) = (0, 0);
    // SAFETY: writes two integers.
    unsafe { call!(cuMemGetInfo_v2(&mut free, &mut total)) }?;
    Ok(free)
}

/// An attribute of a device.
fn attribute(device: CUdevice, which: u32) -> Result<u32, CudaError> {
    let mut value = 0;
    // SAFETY: writes one integer.
    unsafe { call!(cuDeviceGetAttribute(&mut value, which, device)) }?;
    Ok(value.unsigned_abs())
}

/// The name of a device.
fn name(device: CUdevice) -> Result<String, CudaError> {
    let mut text = [0_u8; NAME_BYTES];
    // SAFETY: writes at most as many bytes as the text has.
    unsafe { call!(cuDeviceGetName(text.as_mut_ptr().cast(), NAME_BYTES as i32, device)) }?;
    let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
    Ok(text.to_string_lossy().into_owned())
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
        crosses::<crate::cuda::Registered>();
        crosses::<crate::cuda::Stream>();
    }
}
