//! Sources and sinks as calls take them: by bytes, and looked at on the way where kernels rely on what they hold.

use std::slice;
use std::sync::atomic::{AtomicI32, Ordering};

use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;
use simt::Pod;

use super::source::{Sink, Source};
use crate::call::{Drain, Feed};
use crate::element::Element;
use crate::error::{Error, Result};
use kernels_cpu::fresh::filled;

/// The elements that bytes are, which are aligned for them.
fn elements<T: Pod>(bytes: &mut [u8]) -> &mut [T] {
    debug_assert!(bytes.as_ptr().cast::<T>().is_aligned() && bytes.len().is_multiple_of(size_of::<T>()));
    // SAFETY: aligned, as slots and machine memory are; any bytes make plain values.
    unsafe { slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) }
}

/// What a source holds.
pub(super) struct From<'a, T>(pub(super) &'a dyn Source<T>);

impl<T: Pod> Feed for From<'_, T> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        Ok(self.0.read(first / size_of::<T>(), elements(to))?)
    }
}

/// What goes to a sink.
pub(super) struct To<'a, T>(pub(super) &'a dyn Sink<T>);

impl<T: Pod> Drain for To<'_, T> {
    fn write(&self, first: usize, from: &[u8]) -> Result<()> {
        // SAFETY: aligned, as slots and machine memory are; any bytes make plain values.
        let elements = unsafe { slice::from_raw_parts(from.as_ptr().cast(), from.len() / size_of::<T>()) };
        Ok(self.0.write(first / size_of::<T>(), elements)?)
    }
}

/// Factors, widened to the type of the arithmetic; it notes the status of each matrix on the way.
pub(super) struct FactorFeed<'a, T> {
    pub(super) source: &'a dyn Source<T>,
    pub(super) n: usize,
    pub(super) codes: &'a [AtomicI32],
}

impl<T: Element> Feed for FactorFeed<'_, T> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        let (first, to) = (first / size_of::<T::Scalar>(), elements::<T::Scalar>(to));
        let mut stored = filled(T::narrow(T::Scalar::ZERO), to.len())?;
        self.source.read(first, &mut stored)?;
        for ((at, x), stored) in (first..).zip(to).zip(stored) {
            *x = stored.widen();
            let (code, place) = (&self.codes[at / (self.n * self.n)], at % (self.n * self.n));
            // Either order has the diagonal there.
            let on_diagonal = place.is_multiple_of(self.n + 1);
            if !Scalar::is_finite(*x) {
                code.store(NON_FINITE, Ordering::Relaxed);
            } else if on_diagonal && *x == T::Scalar::ZERO && code.load(Ordering::Relaxed) == 0 {
                code.store((place / (self.n + 1)) as i32 + 1, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// Pivots, each a row of its matrix.
pub(super) struct PivotFeed<'a> {
    pub(super) source: &'a dyn Source<u32>,
    pub(super) n: usize,
}

impl Feed for PivotFeed<'_> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        let (first, to) = (first / size_of::<u32>(), elements::<u32>(to));
        self.source.read(first, to)?;
        let Some(at) = to.iter().position(|&pivot| pivot as usize >= self.n) else { return Ok(()) };
        Err(Error::Shape(format!(
            "pivot {} of matrix {} is {}, but rows are counted from 0 to {}: subtract 1 from LAPACK's",
            (first + at) % self.n,
            (first + at) / self.n,
            to[at].cast_signed(),
            self.n - 1
        )))
    }
}

/// Statuses that were noted.
pub(super) struct CodeFeed<'a>(pub(super) &'a [AtomicI32]);

impl Feed for CodeFeed<'_> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        let to = elements::<i32>(to);
        for (to, code) in to.iter_mut().zip(&self.0[first / size_of::<i32>()..]) {
            *to = code.load(Ordering::Relaxed);
        }
        Ok(())
    }
}
