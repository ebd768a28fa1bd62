//! The steps of iterative refinement.

use kernels_gpu::entry::{Family, Variant};
use numbers::element::Arithmetic;
use numbers::refine::RefineArgs;
use numbers::scalar::Scalar;

use super::{Launcher, Problem, prepare_as};
use crate::backend::Backend;
use crate::choice;
use crate::element::Double;
use crate::error::Result;
use kernels_cpu::calls;

/// A step of a solution by factors in single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SingleStep {
    /// Rounds the matrices, and takes their norms.
    ToSingle,
    /// Rounds the right-hand sides, and begins with solutions that are 0.
    Start,
    /// Takes residuals.
    Residual,
    /// Adds corrections, and decides.
    Decide,
}

/// A step of an improvement in the precision of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Takes residuals and magnitudes.
    Residual,
    /// Adds corrections, and decides.
    Decide,
}

impl SingleStep {
    fn variant(self) -> Variant {
        match self {
            Self::ToSingle => Variant::ToSingle,
            Self::Start => Variant::Start,
            Self::Residual => Variant::ResidualOfSingle,
            Self::Decide => Variant::NormWise,
        }
    }

    /// Loads the kernels.
    pub(crate) fn prepare<T: Scalar>(backend: &Backend, size: Problem) -> Result<()> {
        let all = [Self::ToSingle, Self::Start, Self::Residual, Self::Decide];
        all.into_iter().try_for_each(|step| load::<T>(backend, step.variant(), size))
    }
}

impl Step {
    fn variant(self) -> Variant {
        match self {
            Self::Residual => Variant::Residual,
            Self::Decide => Variant::ComponentWise,
        }
    }

    /// Loads the kernels.
    pub(crate) fn prepare<T: Scalar>(backend: &Backend, size: Problem) -> Result<()> {
        [Self::Residual, Self::Decide].into_iter().try_for_each(|step| load::<T>(backend, step.variant(), size))
    }
}

fn load<T: Scalar>(backend: &Backend, variant: Variant, size: Problem) -> Result<()> {
    match backend {
        Backend::Cpu => Ok(()),
        _ => prepare_as(backend, (Family::Refine, variant, T::KIND), size.n, |entry| entry.shape(&size)),
    }
}

impl Launcher<'_> {
    /// A step of a solution by factors in single precision.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn refine_by_single<T: Double>(
        &self,
        step: SingleStep,
        args: RefineArgs<T, T::Single>,
        size: Problem,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            if let Backend::Cpu = self.backend {
                match step {
                    SingleStep::ToSingle => calls::to_single(&args, size),
                    SingleStep::Start => calls::start(&args, size),
                    SingleStep::Residual => calls::residual_of_single(&args, size),
                    SingleStep::Decide => calls::norm_wise(&args, size),
                }
                return Ok(());
            }
            let entry = choice::only(Family::Refine, step.variant(), T::KIND)?;
            self.launch(entry, size, |first, end| RefineArgs { first, end, ..args })
        }
    }

    /// A step of an improvement.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn refine<T: Arithmetic>(&self, step: Step, args: RefineArgs<T>, size: Problem) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            if let Backend::Cpu = self.backend {
                match step {
                    Step::Residual => calls::residual(&args, size),
                    Step::Decide => calls::component_wise(&args, size),
                }
                return Ok(());
            }
            let entry = choice::only(Family::Refine, step.variant(), T::KIND)?;
            self.launch(entry, size, |first, end| RefineArgs { first, end, ..args })
        }
    }
}
