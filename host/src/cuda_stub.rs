//! In the place of [`cuda`](crate::cuda) in a build without the feature `cuda`: the same types and calls, but no values
//! of them.
//!
//! So the rest of the crate needs no conditions. What a value could be asked for is never asked.

use std::convert::Infallible;
use std::error::Error;
use std::ffi::{CStr, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kernels_gpu::entry::Entry;

use crate::error::Error as WarpluError;

/// An error of a GPU or of its driver. This build has no GPU support (the feature `cuda`), so there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaError(Infallible);

impl fmt::Display for CudaError {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

impl Error for CudaError {}

impl CudaError {
    pub(crate) fn is_out_of_memory(&self) -> bool {
        match self.0 {}
    }
}

/// A type without values.
macro_rules! never {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) struct $name(Infallible);
        )*
    };
}

never! {
    /// A GPU in use.
    Gpu
    /// Bytes in a GPU's memory.
    Memory
    /// A queue of work on a GPU.
    Stream
    /// A mark that a stream reaches.
    Event
    /// Page-locked bytes.
    Pinned
    /// A hold on memory that is page-locked.
    Registered
    /// Compiled PTX.
    Module
    /// A kernel.
    Function
}

/// A context that is current on this thread.
#[derive(Debug)]
pub(crate) struct Bound<'a>(Infallible, PhantomData<(&'a Gpu, *const ())>);

/// What a kernel uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionInfo {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Bytes of a thread in local memory.
    pub(crate) local_bytes: u32,
}

/// Calls on what has no values, by the types of their arguments. Where values exist, the calls are documented.
macro_rules! calls {
    ($type:ident { $(fn $name:ident(&self $(, $kind:ty)*) $(-> $result:ty)?;)* }) => {
        impl $type {
            $(
                pub(crate) fn $name(&self $(, _: $kind)*) $(-> $result)? {
                    match self.0 {}
                }
            )*
        }
    };
}

/// As `calls`, for those that are unsafe where values exist.
macro_rules! unsafe_calls {
    ($type:ident { $(fn $name:ident(&self $(, $kind:ty)*) -> $result:ty;)* }) => {
        impl $type {
            $(
                /// # Safety
                ///
                /// It cannot be called.
                pub(crate) unsafe fn $name(&self $(, _: $kind)*) -> $result {
                    match self.0 {}
                }
            )*
        }
    };
}

impl Gpu {
    /// An error: this build has no GPU support.
    pub(crate) fn count() -> Result<u32, WarpluError> {
        Err(WarpluError::NoCuda)
    }

    /// As [`Self::count`].
    pub(crate) fn open(_: u32) -> Result<Arc<Self>, WarpluError> {
        Err(WarpluError::NoCuda)
    }
}

calls! {
    Gpu {
        fn ordinal(&self) -> u32;
        fn name(&self) -> &str;
        fn capability(&self) -> (u32, u32);
        fn tier(&self) -> u32;
        fn total_memory(&self) -> usize;
        fn free_memory(&self) -> Result<usize, CudaError>;
        fn multiprocessors(&self) -> u32;
        fn max_shared_bytes(&self) -> u32;
        fn driver_version(&self) -> &str;
        fn speeds(&self) -> Result<String, CudaError>;
        fn function(&self, u32, &'static Entry) -> Result<&Function, CudaError>;
        fn bind(&self) -> Result<Bound<'_>, CudaError>;
    }
}

impl Memory {
    pub(crate) fn alloc(gpu: &Gpu, _: usize) -> Result<Self, CudaError> {
        match gpu.0 {}
    }
}

calls! {
    Memory {
        fn address(&self) -> u64;
        fn len(&self) -> usize;
    }
}

impl Stream {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        match gpu.0 {}
    }

    pub(crate) fn urgent(gpu: &Gpu) -> Result<Self, CudaError> {
        match gpu.0 {}
    }

    /// # Safety
    ///
    /// It cannot be called.
    pub(crate) unsafe fn wrap(gpu: &Gpu, _: *mut c_void) -> Self {
        match gpu.0 {}
    }

    /// # Safety
    ///
    /// It cannot be called.
    pub(crate) unsafe fn launch<A>(
        &self,
        _: &Function,
        _blocks: u32,
        _cluster: u32,
        _threads: u32,
        _shared_bytes: u32,
        _arguments: &A,
    ) -> Result<(), CudaError> {
        match self.0 {}
    }
}

calls! {
    Stream {
        fn synchronize(&self) -> Result<(), CudaError>;
        fn record(&self, &Event) -> Result<(), CudaError>;
        fn wait(&self, &Event) -> Result<(), CudaError>;
        fn raw(&self) -> *mut c_void;
    }
}

unsafe_calls! {
    Stream {
        fn upload(&self, u64, *const u8, usize) -> Result<(), CudaError>;
        fn download(&self, *mut u8, u64, usize) -> Result<(), CudaError>;
        fn copy(&self, u64, u64, usize) -> Result<(), CudaError>;
        fn fill(&self, u64, u8, usize) -> Result<(), CudaError>;
    }
}

impl Event {
    pub(crate) fn new(gpu: &Gpu, _timing: bool) -> Result<Self, CudaError> {
        match gpu.0 {}
    }
}

calls! {
    Event {
        fn query(&self) -> Result<bool, CudaError>;
        fn synchronize(&self) -> Result<(), CudaError>;
        fn elapsed_ms(&self, &Self) -> Result<f32, CudaError>;
    }
}

impl Pinned {
    pub(crate) fn alloc(gpu: &Gpu, _: usize) -> Result<Self, CudaError> {
        match gpu.0 {}
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        match self.0 {}
    }
}

calls! {
    Pinned {
        fn as_slice(&self) -> &[u8];
    }
}

impl Registered {
    /// # Safety
    ///
    /// It cannot be called.
    pub(crate) unsafe fn new(gpu: &Gpu, _: *mut u8, _: usize) -> Result<Self, CudaError> {
        match gpu.0 {}
    }

    pub(crate) fn end(self) -> bool {
        match self.0 {}
    }
}

impl Module {
    /// # Safety
    ///
    /// It cannot be called.
    pub(crate) unsafe fn load(gpu: &Gpu, _: &CStr) -> Result<Self, CudaError> {
        match gpu.0 {}
    }
}

impl Function {
    pub(crate) fn get(module: Arc<Module>, _: &str) -> Result<Self, CudaError> {
        match module.0 {}
    }
}

calls! {
    Function {
        fn set_max_shared_bytes(&self, u32) -> Result<(), CudaError>;
        fn info(&self) -> Result<FunctionInfo, CudaError>;
    }
}
