//! The types of numbers in `.npy` files, and the one place where they become types of Rust.

use crate::npy::{Descr, Kind, Numbers};

/// A type that matrices in a file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    F16,
    F32,
    F64,
    C32,
    C64,
}

/// Runs `$body` with `$T` as the type of Rust for a [`Dtype`].
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::dtype::Dtype::F16 => {
                type $T = warplu::f16;
                $body
            }
            $crate::dtype::Dtype::F32 => {
                type $T = f32;
                $body
            }
            $crate::dtype::Dtype::F64 => {
                type $T = f64;
                $body
            }
            $crate::dtype::Dtype::C32 => {
                type $T = warplu::c32;
                $body
            }
            $crate::dtype::Dtype::C64 => {
                type $T = warplu::c64;
                $body
            }
        }
    };
}
pub(crate) use with_element;

impl Dtype {
    const ALL: [Self; 5] = [Self::F16, Self::F32, Self::F64, Self::C32, Self::C64];

    /// NumPy's type string.
    pub(crate) const fn descr(self) -> &'static str {
        match self {
            Self::F16 => "<f2",
            Self::F32 => "<f4",
            Self::F64 => "<f8",
            Self::C32 => "<c8",
            Self::C64 => "<c16",
        }
    }

    /// NumPy's name.
    pub(crate) const fn numpy_name(self) -> &'static str {
        match self {
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
            Self::C32 => "complex64",
            Self::C64 => "complex128",
        }
    }

    /// The name in messages and reports.
    pub(crate) fn name(self) -> &'static str {
        with_element!(self, T => <T as warplu::Element>::NAME)
    }
}

impl Numbers for Dtype {
    fn from_header(descr: &Descr) -> Result<Self, String> {
        const KNOWN: &str = "float16, float32, float64, complex64 and complex128";
        let Descr::Plain { text, kind, big_endian } = descr else {
            return Err(format!("holds a structured array: save one of its fields as {KNOWN}, e.g. a['field'].copy()"));
        };
        if let Some(known) = Self::ALL.into_iter().find(|known| known.descr() == text.as_str()) {
            return Ok(known);
        }
        Err(match kind {
            Kind::Object => {
                format!("holds Python objects: convert them, e.g. a.astype('float64'), to {KNOWN}")
            }
            Kind::Float if *big_endian => {
                format!("holds big-endian numbers ({text}): convert them with a.astype(a.dtype.newbyteorder('<'))")
            }
            _ => format!("holds numbers of type {text}: convert them, e.g. a.astype('float64'); {KNOWN} are supported"),
        })
    }

    fn size(self) -> usize {
        with_element!(self, T => size_of::<T>())
    }
}
