//! The types of elements, by the numbers that the Python part has for them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A type of elements, in the order of `_dtypes.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DType {
    F16,
    BF16,
    F32,
    F64,
    C32,
    C64,
}

impl DType {
    const ALL: [Self; 6] = [Self::F16, Self::BF16, Self::F32, Self::F64, Self::C32, Self::C64];

    /// Bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::BF16 => 2,
            Self::F32 => 4,
            Self::F64 | Self::C32 => 8,
            Self::C64 => 16,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for DType {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number: usize = object.extract()?;
        Self::ALL.get(number).copied().ok_or_else(|| PyTypeError::new_err(format!("no dtype has the number {number}")))
    }
}

/// Evaluates an expression with a type of Rust as the dtype says.
macro_rules! with_element {
    ($dtype:expr, $element:ident => $body:expr) => {
        match $dtype {
            $crate::dtype::DType::F16 => {
                type $element = warplu::f16;
                $body
            }
            $crate::dtype::DType::BF16 => {
                type $element = warplu::bf16;
                $body
            }
            dtype => $crate::dtype::with_scalar!(dtype, $element => $body),
        }
    };
}
pub(crate) use with_element;

/// As [`with_element`], of the types of the arithmetic; others are an error.
macro_rules! with_scalar {
    ($dtype:expr, $element:ident => $body:expr) => {
        match $dtype {
            $crate::dtype::DType::F32 => {
                type $element = f32;
                $body
            }
            $crate::dtype::DType::F64 => {
                type $element = f64;
                $body
            }
            $crate::dtype::DType::C32 => {
                type $element = warplu::c32;
                $body
            }
            $crate::dtype::DType::C64 => {
                type $element = warplu::c64;
                $body
            }
            $crate::dtype::DType::F16 | $crate::dtype::DType::BF16 => {
                Err(warplu::Error::Unsupported("factors are not of a 16-bit type: they are float32".to_owned()))
            }
        }
    };
}
pub(crate) use with_scalar;
