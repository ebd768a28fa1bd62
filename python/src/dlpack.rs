//! DLPack: arrays of other libraries, by the protocol that they share.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::slice;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// `kDLCPU`.
pub(crate) const CPU: i32 = 1;
/// `kDLCUDA`.
pub(crate) const CUDA: i32 = 2;
/// `kDLFloat`, `kDLBfloat`, `kDLComplex`.
pub(crate) const FLOAT: u8 = 2;
pub(crate) const BFLOAT: u8 = 4;
pub(crate) const COMPLEX: u8 = 5;

pub(crate) const NAME: &CStr = c"dltensor";
const USED_NAME: &CStr = c"used_dltensor";
pub(crate) const VERSIONED_NAME: &CStr = c"dltensor_versioned";
const USED_VERSIONED_NAME: &CStr = c"used_dltensor_versioned";
/// `DLPACK_FLAG_BITMASK_READ_ONLY`.
const READ_ONLY: u64 = 1;

/// `DLDevice`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DlDevice {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

/// `DLDataType`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DlDataType {
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
}

/// `DLTensor`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DlTensor {
    pub(crate) data: *mut c_void,
    pub(crate) device: DlDevice,
    pub(crate) ndim: i32,
    pub(crate) dtype: DlDataType,
    pub(crate) shape: *mut i64,
    /// Null where compact in C order.
    pub(crate) strides: *mut i64,
    pub(crate) byte_offset: u64,
}

/// `DLManagedTensor`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct DlManagedTensor {
    pub(crate) tensor: DlTensor,
    pub(crate) context: *mut c_void,
    pub(crate) deleter: Option<unsafe extern "C" fn(*mut DlManagedTensor)>,
}

/// `DLManagedTensorVersioned`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct DlManagedTensorVersioned {
    pub(crate) major: u32,
    pub(crate) minor: u32,
    pub(crate) context: *mut c_void,
    pub(crate) deleter: Option<unsafe extern "C" fn(*mut Self)>,
    pub(crate) flags: u64,
    pub(crate) tensor: DlTensor,
}

/// What a capsule held, which is ours then.
#[derive(Debug)]
enum Managed {
    Plain(NonNull<DlManagedTensor>),
    Versioned(NonNull<DlManagedTensorVersioned>),
}

/// An array of another library, which lives at least as long as this.
#[pyclass(frozen, module = "warplu._warplu")]
#[derive(Debug)]
pub(crate) struct Tensor {
    /// Where its first element is.
    #[pyo3(get)]
    address: usize,
    #[pyo3(get)]
    shape: Vec<i64>,
    /// In elements.
    #[pyo3(get)]
    strides: Vec<i64>,
    /// (code, bits, lanes), as DLPack has them.
    #[pyo3(get)]
    dtype: (u8, u8, u16),
    /// (type, number), as DLPack has them.
    #[pyo3(get)]
    device: (i32, i32),
    #[pyo3(get)]
    read_only: bool,
    _managed: Managed,
}

// SAFETY: DLPack lets a consumer keep and delete a tensor in any thread; nobody reads the fields after `from_dlpack`.
unsafe impl Send for Tensor {}
// SAFETY: as above.
unsafe impl Sync for Tensor {}

/// Takes the array out of a DLPack capsule.
#[pyfunction]
pub(crate) fn from_dlpack(capsule: &Bound<'_, PyCapsule>) -> PyResult<Tensor> {
    // SAFETY: a capsule of this name holds such a tensor; whoever renames it owns that.
    unsafe {
        if let Some(held) = take::<DlManagedTensorVersioned>(capsule, VERSIONED_NAME, USED_VERSIONED_NAME) {
            let managed = Managed::Versioned(held);
            let (major, flags) = (held.as_ref().major, held.as_ref().flags);
            if major > 1 {
                drop(managed);
                return Err(PyBufferError::new_err(format!("DLPack {major} is unknown: this package knows version 1")));
            }
            return Tensor::new(&held.as_ref().tensor, flags & READ_ONLY != 0, managed);
        }
        if let Some(held) = take::<DlManagedTensor>(capsule, NAME, USED_NAME) {
            return Tensor::new(&held.as_ref().tensor, false, Managed::Plain(held));
        }
    }
    Err(PyTypeError::new_err("the capsule holds no DLPack tensor, or one that was taken before: ask for a new one"))
}

/// What a capsule of this name holds, which is then renamed.
///
/// # Safety
/// A capsule of this name holds a `T`.
unsafe fn take<T>(capsule: &Bound<'_, PyCapsule>, name: &'static CStr, used: &'static CStr) -> Option<NonNull<T>> {
    // SAFETY: a capsule, and names that live on; a wrong name is no error of Python's in the first call.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) == 0 {
            return None;
        }
        let held = NonNull::new(ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()).cast())?;
        (ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) == 0).then_some(held)
    }
}

impl Tensor {
    /// # Safety
    /// The tensor is as DLPack says.
    unsafe fn new(tensor: &DlTensor, read_only: bool, managed: Managed) -> PyResult<Self> {
        let wrong = |what: &str| PyBufferError::new_err(format!("the DLPack tensor has {what}, which none may have"));
        let ndim = usize::try_from(tensor.ndim).map_err(|_| wrong("a negative number of dimensions"))?;
        let numbers = |at: *const i64| {
            // SAFETY: so many numbers, as DLPack says; none need be there for an array of no dimensions.
            if ndim == 0 || at.is_null() { Vec::new() } else { unsafe { slice::from_raw_parts(at, ndim) }.to_vec() }
        };
        let (shape, mut strides) = (numbers(tensor.shape), numbers(tensor.strides));
        if strides.is_empty() {
            strides = row_major(&shape);
        }
        if shape.len() != ndim || shape.iter().any(|&size| size < 0) {
            return Err(wrong("no shape, or a negative size"));
        }
        let DlDataType { code, bits, lanes } = tensor.dtype;
        // No array is larger than half of memory.
        let offset = isize::try_from(tensor.byte_offset).ok();
        let address = offset.and_then(|offset| tensor.data.expose_provenance().checked_add_signed(offset));
        Ok(Self {
            address: address.ok_or_else(|| wrong("an offset beyond the end of memory"))?,
            shape,
            strides,
            dtype: (code, bits, lanes),
            device: (tensor.device.kind, tensor.device.id),
            read_only,
            _managed: managed,
        })
    }
}

/// The strides of an array that is compact in C order.
pub(crate) fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1_i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis].max(1));
    }
    strides
}

impl Drop for Managed {
    fn drop(&mut self) {
        // SAFETY: ours, deleted once.
        unsafe {
            match *self {
                Self::Plain(held) => {
                    if let Some(delete) = held.as_ref().deleter {
                        delete(held.as_ptr());
                    }
                }
                Self::Versioned(held) => {
                    if let Some(delete) = held.as_ref().deleter {
                        delete(held.as_ptr());
                    }
                }
            }
        }
    }
}
