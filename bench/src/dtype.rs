//! The types that are measured, and the one place where they become types of Rust.

use numbers::scalar::ScalarKind;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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
    /// The name in tables and files.
    pub(crate) fn name(self) -> &'static str {
        with_element!(self, T => <T as warplu::Element>::NAME)
    }

    /// The type that it is computed with.
    pub(crate) fn kind(self) -> ScalarKind {
        with_element!(self, T => <<T as warplu::Element>::Scalar as warplu::Scalar>::KIND)
    }
}
