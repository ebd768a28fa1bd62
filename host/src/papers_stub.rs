//! In the place of [`papers`](crate::papers) in a build without the feature `papers`: no algorithms, and so no values
//! of what they do.
//!
//! So the rest of the crate needs no conditions. Where values exist, the calls are documented.

use numbers::factors::Factors;
use std::fmt;

use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use crate::backend::Backend;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::launch::Launcher;
use crate::operation::Route;
use crate::route::Space;
use crate::verify::{Options, Row};

/// A published algorithm. This build has none (the feature `papers`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Published {}

/// PA = LU.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lu {}

/// A^-1 from factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LuInverse {}

/// A X = B from factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LuSolve {}

impl Published {
    /// An error: this build has none.
    pub(crate) fn parse(name: &str, _: &str) -> Result<Self> {
        Err(Error::UnknownAlgorithm(format!(
            "unknown algorithm {name:?}: use auto, few or kernel:NAME; for the published algorithms, which this build does \
             not have, build with --features papers"
        )))
    }

    pub(crate) const fn pivots(self) -> bool {
        match self {}
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {}
    }

    pub(crate) fn leaves_factors(self) -> Result<()> {
        match self {}
    }

    pub(crate) fn lu(self, _: &Backend, _: ScalarKind, _: Problem) -> Result<Lu> {
        match self {}
    }

    pub(crate) fn lu_inverse(self, _: &Backend, _: ScalarKind, _: Problem) -> Result<Option<LuInverse>> {
        match self {}
    }

    pub(crate) fn lu_solve(self, _: &Backend, _: ScalarKind, _: Problem) -> Result<Option<LuSolve>> {
        match self {}
    }

    #[expect(clippy::extra_unused_type_parameters, reason = "as the published algorithms have it")]
    pub(crate) fn inverse<T>(self, _: &Backend, _: Problem, _: &mut Space) -> Result<Option<Route>> {
        match self {}
    }

    #[expect(clippy::extra_unused_type_parameters, reason = "as the published algorithms have it")]
    pub(crate) fn solve<T>(self, _: &Backend, _: Problem, _: &mut Space) -> Result<Option<Route>> {
        match self {}
    }
}

impl fmt::Display for Published {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl Lu {
    /// # Safety
    /// It cannot be called.
    pub(crate) unsafe fn enqueue<T: Scalar>(
        self,
        _: &Launcher<'_>,
        _: Matrices<T>,
        _: Factors<T>,
        _: Problem,
    ) -> Result<()> {
        match self {}
    }
}

impl LuInverse {
    /// # Safety
    /// It cannot be called.
    pub(crate) unsafe fn enqueue<T: Scalar>(
        self,
        _: &Launcher<'_>,
        _: Factors<T>,
        _: Matrices<T>,
        _: Global<i32>,
        _: Global<T>,
        _: Problem,
    ) -> Result<()> {
        match self {}
    }
}

impl LuSolve {
    /// # Safety
    /// It cannot be called.
    pub(crate) unsafe fn enqueue<T: Scalar>(
        self,
        _: &Launcher<'_>,
        _: Factors<T>,
        _: Matrices<T>,
        _: Matrices<T>,
        _: Problem,
    ) -> Result<()> {
        match self {}
    }
}

/// No rows.
pub(crate) fn verify(_: &Device, _: &Options, _: impl FnMut(Row)) {}

#[cfg(test)]
mod tests {
    use crate::algorithm::Algorithm;

    #[test]
    fn the_feature_is_named() {
        let message = "left-looking:nb=8".parse::<Algorithm>().unwrap_err().to_string();
        assert!(message.contains("left-looking") && message.contains("build with --features papers"), "{message}");
    }
}
