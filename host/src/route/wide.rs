//! 16-bit matrices, which kernels compute with in f32.

use kernels_gpu::entry::{Family, Variant};
use numbers::matrix::Matrices;
use numbers::scalar::Scalar;

use super::{Array, Room, Space};
use crate::backend::Backend;
use crate::element::{Element, conversion};
use crate::error::Result;
use crate::launch::{Launcher, cast, matrices_at, prepare_only};
use crate::layout::Layout;

/// Room for matrices of a 16-bit type in f32; nothing for types that are computed with as they are.
#[derive(Debug)]
pub(crate) struct Wide<T: Element> {
    rows: u32,
    cols: u32,
    converted: Option<(Variant, Array<T::Scalar>)>,
}

impl<T: Element> Wide<T> {
    /// For matrices of `rows` x `cols`.
    pub(crate) fn new(backend: &Backend, rows: u32, cols: u32, space: &mut Space) -> Result<Self> {
        let convert = |variant| {
            prepare_only(backend, Family::Widen, variant, T::Scalar::KIND)?;
            prepare_only(backend, Family::Narrow, variant, T::Scalar::KIND)?;
            Ok::<_, crate::Error>((variant, space.array(&[rows as usize, cols as usize])?))
        };
        Ok(Self { rows, cols, converted: conversion::<T>().map(convert).transpose()? })
    }

    /// The matrices in the type of the arithmetic: converted, or as they are.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn widen(
        &self,
        launcher: &Launcher<'_>,
        a: Matrices<T>,
        batch: u64,
        room: Room<'_>,
    ) -> Result<Matrices<T::Scalar>> {
        let Some((variant, _)) = self.converted else { return Ok(cast(a)) };
        let wide = self.target(a, room);
        // SAFETY: the caller's promise; the room is of this size.
        unsafe { launcher.widen(variant, a, wide, (self.rows, self.cols), batch)? };
        Ok(wide)
    }

    /// Where results in the type of the arithmetic go: where the widened matrices are, or to `out` itself.
    pub(crate) fn target(&self, out: Matrices<T>, room: Room<'_>) -> Matrices<T::Scalar> {
        match self.converted {
            Some((_, array)) => {
                matrices_at(room.at(array).address(), Layout::column_major(self.rows as usize, self.cols as usize))
            }
            None => cast(out),
        }
    }

    /// Converts the results at [`Self::target`] to `out`, where they are not there already.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn narrow(
        &self,
        launcher: &Launcher<'_>,
        out: Matrices<T>,
        batch: u64,
        room: Room<'_>,
    ) -> Result<()> {
        let Some((variant, _)) = self.converted else { return Ok(()) };
        // SAFETY: the caller's promise; the room is of this size.
        unsafe { launcher.narrow(variant, self.target(out, room), out, (self.rows, self.cols), batch) }
    }
}
