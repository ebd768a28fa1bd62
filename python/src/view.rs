//! Where the elements of arrays are, and the matrices in them.

use std::ffi::{c_char, c_int, c_void};
use std::slice;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::matrices::Matrices;

/// `NPY_ARRAY_C_CONTIGUOUS`, `NPY_ARRAY_ALIGNED`, `NPY_ARRAY_WRITEABLE`.
const C_CONTIGUOUS: c_int = 0x1;
const ALIGNED: c_int = 0x100;
const WRITEABLE: c_int = 0x400;

/// `PyArrayInterface`, which the capsule holds that an array of NumPy has as `__array_struct__`.
#[repr(C)]
struct ArrayInterface {
    two: c_int,
    ndim: c_int,
    kind: c_char,
    item_size: c_int,
    flags: c_int,
    /// Null where there are no dimensions, as are the strides, which count bytes.
    shape: *const isize,
    strides: *const isize,
    data: *mut c_void,
    descr: *mut ffi::PyObject,
}

/// Where an array's elements are: strides count elements, and None says compact in C order.
#[pyclass(frozen, module = "warplu._warplu")]
pub(crate) struct View {
    #[pyo3(get)]
    address: usize,
    shape: Vec<isize>,
    strides: Option<Vec<isize>>,
    #[pyo3(get)]
    read_only: bool,
    /// What keeps the elements alive, if not the array itself.
    _owner: Option<Py<PyAny>>,
}

#[pymethods]
impl View {
    #[new]
    #[pyo3(signature = (address, shape, strides = None, read_only = false, owner = None))]
    fn new(
        address: usize,
        shape: Vec<isize>,
        strides: Option<Vec<isize>>,
        read_only: bool,
        owner: Option<Py<PyAny>>,
    ) -> Self {
        Self { address, shape, strides, read_only, _owner: owner }
    }

    /// That of an array of NumPy; None where its elements are not aligned, or its strides are no multiples of them.
    #[staticmethod]
    fn of_numpy(array: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let capsule = array.getattr(pyo3::intern!(array.py(), "__array_struct__"))?;
        // SAFETY: Python's lock is held. The capsule has no name; for anything else there is an error.
        let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), std::ptr::null()) };
        // SAFETY: NumPy's protocol; the capsule keeps it for as long as it lives, to the end of this function.
        let Some(told) = (unsafe { pointer.cast::<ArrayInterface>().as_ref() }) else {
            return Err(PyErr::fetch(array.py()));
        };
        if told.two != 2 {
            return Err(PyTypeError::new_err("`__array_struct__` is none of NumPy's"));
        }
        if told.flags & ALIGNED == 0 {
            return Ok(None);
        }
        let axes = |at: *const isize| match told.ndim {
            0 => &[][..],
            // SAFETY: NumPy's protocol: a number for each dimension.
            ndim => unsafe { slice::from_raw_parts(at, ndim.unsigned_abs() as usize) },
        };
        let item = told.item_size.max(1) as isize;
        let strides = if told.flags & C_CONTIGUOUS != 0 { &[] } else { axes(told.strides) };
        if strides.iter().any(|stride| stride % item != 0) {
            return Ok(None);
        }
        Ok(Some(Self {
            address: told.data.addr(),
            shape: axes(told.shape).to_vec(),
            strides: (told.flags & C_CONTIGUOUS == 0).then(|| strides.iter().map(|stride| stride / item).collect()),
            read_only: told.flags & WRITEABLE == 0,
            _owner: None,
        }))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Whether the elements follow each other in C order.
    #[getter]
    fn is_compact(&self) -> bool {
        self.strides.is_none()
    }

    /// A stack of matrices, broadcast to a shape of stacks, with one stride from each to the next; None if it has none
    /// such, or a negative one. A vector is a matrix of one column.
    #[pyo3(signature = (batch, is_vector = false))]
    fn matrices(&self, batch: Vec<isize>, is_vector: bool) -> Option<Matrices> {
        let columns = is_vector.then_some(1);
        let shape: Vec<isize> = self.shape.iter().copied().chain(columns).collect();
        let (stack, &[rows, cols]) = shape.split_last_chunk()?;
        let strides = match &self.strides {
            None if stack == batch => return Some(Matrices::compact_of(self.address, &batch, rows, cols)),
            None => row_major(&shape),
            Some(strides) => strides.iter().copied().chain(columns).collect(),
        };
        let (of_stack, &[row, col]) = strides.split_last_chunk()?;
        let missing = batch.len().checked_sub(stack.len())?;
        let (mut count, mut step) = (1, 0);
        for (axis, &len) in batch.iter().enumerate().rev().filter(|&(_, &len)| len != 1) {
            let own = axis.checked_sub(missing).filter(|&own| stack[own] != 1);
            let stride = own.map_or(0, |own| of_stack[own]);
            if count == 1 {
                (count, step) = (len, stride);
            } else if stride == step.wrapping_mul(count) {
                count = count.wrapping_mul(len);
            } else {
                return None;
            }
        }
        // A stride that leads to nothing may be anything.
        let row = if rows > 1 { row } else { row.max(0) };
        let col = if cols > 1 { col } else { col.max(0) };
        let sizes = [count, rows, cols];
        if [step, row, col].iter().all(|&stride| stride >= 0) {
            return Some(Matrices::new(self.address, sizes, [step, row, col]));
        }
        (count == 0).then(|| Matrices::new(self.address, sizes, [0; 3]))
    }
}

fn row_major(shape: &[isize]) -> Vec<isize> {
    let mut strides = vec![1_isize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(shape[axis].max(1));
    }
    strides
}
