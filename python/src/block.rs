//! Memory for results, for array libraries that take memory of others but lend none to write to.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use pyo3::exceptions::{PyAttributeError, PyMemoryError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warplu::resident::DeviceBuffer;

use crate::dlpack::{
    self, BFLOAT, COMPLEX, CPU, CUDA, DlDataType, DlDevice, DlManagedTensor, DlManagedTensorVersioned, DlTensor, FLOAT,
    row_major,
};
use crate::dtype::DType;
use crate::error::released;
use crate::place::device;

/// A line of memory: what libraries take without a copy begins with one.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "kept for its memory")] [u8; 64]);

/// Where a block is.
enum Memory {
    Host(Vec<Line>),
    Gpu(DeviceBuffer<u8>),
}

/// Memory of a block, which those that have taken it share.
type Held = Arc<Memory>;

/// An array in C order, in host memory or that of a GPU, of which other libraries make theirs by DLPack or
/// `__cuda_array_interface__`. The work that fills it is done before it is handed on.
#[pyclass(frozen, module = "warplu._warplu")]
pub(crate) struct Block {
    held: Held,
    #[pyo3(get)]
    address: usize,
    #[pyo3(get)]
    shape: Vec<i64>,
    dtype: DlDataType,
    /// Of a GPU.
    ordinal: Option<u32>,
}

/// What was handed out, as the one or the other kind of tensor, with what these refer to.
struct Handed {
    plain: DlManagedTensor,
    versioned: DlManagedTensorVersioned,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _held: Held,
}

#[pymethods]
impl Block {
    /// Room for an array of numbers of a dtype, or, without one, of i32 that are 0; on a GPU, where one is named.
    #[new]
    #[pyo3(signature = (shape, dtype, ordinal))]
    fn new(py: Python<'_>, shape: Vec<i64>, dtype: Option<DType>, ordinal: Option<u32>) -> PyResult<Self> {
        let (code, each) = match dtype {
            None => (0, 4),
            Some(dtype @ (DType::C32 | DType::C64)) => (COMPLEX, dtype.bytes()),
            Some(DType::BF16) => (BFLOAT, 2),
            Some(dtype) => (FLOAT, dtype.bytes()),
        };
        let count = shape.iter().try_fold(each, |all, &count| all.checked_mul(usize::try_from(count).ok()?));
        let bytes = count.ok_or_else(|| PyMemoryError::new_err("so many elements fit no memory"))?;
        let mut memory = match ordinal {
            Some(ordinal) => {
                let device = device(py, &format!("cuda:{ordinal}"))?;
                let room = || if dtype.is_none() { device.upload(&vec![0; bytes]) } else { device.buffer(bytes) };
                Memory::Gpu(released(py, room)?)
            }
            None => {
                let (mut lines, count) = (Vec::new(), bytes.div_ceil(64).max(1));
                let refused = |_| PyMemoryError::new_err(format!("{bytes} bytes are not to be had"));
                lines.try_reserve_exact(count).map_err(refused)?;
                lines.resize(count, Line([0; 64]));
                Memory::Host(lines)
            }
        };
        let address = match &mut memory {
            Memory::Host(lines) => lines.as_mut_ptr().expose_provenance(),
            Memory::Gpu(buffer) => buffer.address() as usize,
        };
        let dtype = DlDataType { code, bits: (8 * each) as u8, lanes: 1 };
        Ok(Self { held: Arc::new(memory), address, shape, dtype, ordinal })
    }

    /// The array as DLPack hands it on, which says that it may be written to since version 1.
    #[pyo3(signature = (*, max_version=None, **_options))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        max_version: Option<(u32, u32)>,
        _options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (kind, id) = self.__dlpack_device__();
        let tensor = DlTensor {
            data: ptr::with_exposed_provenance_mut(self.address),
            device: DlDevice { kind, id },
            ndim: self.shape.len() as i32,
            dtype: self.dtype,
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        let context = ptr::null_mut();
        let handed = Box::into_raw(Box::new(Handed {
            plain: DlManagedTensor { tensor, context, deleter: Some(delete) },
            versioned: DlManagedTensorVersioned {
                major: 1,
                minor: 0,
                context,
                deleter: Some(delete_versioned),
                flags: 0,
                tensor,
            },
            shape: self.shape.clone(),
            strides: row_major(&self.shape),
            _held: Arc::clone(&self.held),
        }));
        // SAFETY: just made, and nobody else knows it; the vectors' elements stay where they are. The capsule owns it
        // until a consumer renames that, as `destroy` looks for.
        unsafe {
            let Handed { plain, versioned, shape, strides, .. } = &mut *handed;
            for tensor in [&mut plain.tensor, &mut versioned.tensor] {
                (tensor.shape, tensor.strides) = (shape.as_mut_ptr(), strides.as_mut_ptr());
            }
            (plain.context, versioned.context) = (handed.cast(), handed.cast());
            let (tensor, name): (*mut c_void, _) = match max_version {
                Some((1.., _)) => ((&raw mut (*handed).versioned).cast(), dlpack::VERSIONED_NAME),
                _ => ((&raw mut (*handed).plain).cast(), dlpack::NAME),
            };
            let capsule = ffi::PyCapsule_New(tensor, name.as_ptr(), Some(destroy));
            Bound::from_owned_ptr_or_err(py, capsule).inspect_err(|_| drop(Box::from_raw(handed)))
        }
    }

    /// (type, number), as DLPack has them.
    fn __dlpack_device__(&self) -> (i32, i32) {
        self.ordinal.map_or((CPU, 0), |ordinal| (CUDA, ordinal as i32))
    }

    /// The array as Numba and CuPy have it, where it is in a GPU's memory.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.ordinal.is_none() {
            return Err(PyAttributeError::new_err("the array is in host memory"));
        }
        let kind = match self.dtype.code {
            0 => "i",
            COMPLEX => "c",
            BFLOAT => "V",
            _ => "f",
        };
        let interface = PyDict::new(py);
        interface.set_item("shape", pyo3::types::PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", format!("<{kind}{}", self.dtype.bits / 8))?;
        interface.set_item("data", (self.address, false))?;
        interface.set_item("strides", py.None())?;
        interface.set_item("version", 3)?;
        Ok(interface)
    }
}

/// Deletes what was handed out.
unsafe extern "C" fn delete(tensor: *mut DlManagedTensor) {
    // SAFETY: made by `__dlpack__`, and deleted once.
    unsafe { drop(Box::from_raw((*tensor).context.cast::<Handed>())) };
}

/// As [`delete`].
unsafe extern "C" fn delete_versioned(tensor: *mut DlManagedTensorVersioned) {
    // SAFETY: as above.
    unsafe { drop(Box::from_raw((*tensor).context.cast::<Handed>())) };
}

/// Deletes the tensor of a capsule that nobody has taken it out of.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: a capsule that `__dlpack__` made; under its first name it owns its tensor.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, dlpack::NAME.as_ptr()) != 0 {
            delete(ffi::PyCapsule_GetPointer(capsule, dlpack::NAME.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, dlpack::VERSIONED_NAME.as_ptr()) != 0 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, dlpack::VERSIONED_NAME.as_ptr()).cast());
        }
    }
}
