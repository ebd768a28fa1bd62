//! How the algorithms take part in warplu's calls.

mod block_bordering;
mod block_lu;
mod bordering;
mod copy;
mod element_wise;
mod elimination;
mod lu_inverse;
mod published;
mod text;
mod verify;

pub use published::{Allocation, Columns, Correction, Interchange, Published, Strategy};
pub use text::parse;
pub use verify::verify;

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::table as own;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind, c32, c64};
use warplu::extend::{Extension, Machine, Part, Space, Steps};
use warplu::{Error, Result};

use self::block_lu::BlockLu;
use self::elimination::Elimination;
use self::lu_inverse::LuInverse;
use crate::kernels::table;

impl Extension for Published {
    fn name(&self) -> &'static str {
        Self::name(*self)
    }

    fn pivots(&self) -> bool {
        !matches!(self, Self::Bordering { .. } | Self::Elimination { pivoting: false, .. })
    }

    fn leaves_factors(&self) -> Result<()> {
        let does = match self {
            Self::Bordering { .. } => "inverts",
            Self::Elimination { .. } => "solves",
            _ => return Ok(()),
        };
        Err(Error::Unsupported(format!(
            "the algorithm {self} only {does}, it leaves no LU factors: use auto, left-looking, right-looking or \
             element-wise"
        )))
    }

    fn steps(
        &self,
        part: Part,
        machine: &Machine<'_>,
        kind: ScalarKind,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Steps>> {
        match kind {
            ScalarKind::F32 => self.steps_of::<f32>(part, machine, size, space),
            ScalarKind::F64 => self.steps_of::<f64>(part, machine, size, space),
            ScalarKind::C32 => self.steps_of::<c32>(part, machine, size, space),
            ScalarKind::C64 => self.steps_of::<c64>(part, machine, size, space),
        }
    }
}

impl Published {
    fn steps_of<T: Scalar>(
        self,
        part: Part,
        machine: &Machine<'_>,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Steps>> {
        let steps = match (part, self) {
            (Part::Lu, _) => self.lu::<T>(machine, size)?,
            (Part::LuInvert, Self::Corrected { nb, upper, lower, allocation, columns }) => {
                LuInverse { nb, upper, lower, allocation, columns }.steps::<T>(machine, size, space)?
            }
            (Part::LuSolve, Self::ElementWise { .. }) => element_wise::solve::<T>(machine, size)?,
            (Part::Invert, Self::Bordering { block }) => {
                match block_bordering::columns(machine, T::KIND, size.n, block)? {
                    1 => bordering::invert::<T>(machine, size, space)?,
                    block => block_bordering::invert::<T>(machine, block, size, space)?,
                }
            }
            (Part::Solve, Self::Elimination { strategy, threads, pivoting }) => {
                Elimination { strategy, threads, pivoting }.steps::<T>(machine, size, space)?
            }
            _ => return Ok(None),
        };
        Ok(Some(steps))
    }

    fn lu<T: Scalar>(self, machine: &Machine<'_>, size: Problem) -> Result<Steps> {
        self.leaves_factors()?;
        match self {
            Self::LeftLooking { nb, interchange } => BlockLu { left: true, nb, interchange }.steps::<T>(machine, size),
            Self::RightLooking { nb, interchange } => {
                BlockLu { left: false, nb, interchange }.steps::<T>(machine, size)
            }
            Self::ElementWise { tile } => element_wise::lu::<T>(machine, tile, size),
            // That of the inversion's paper.
            _ => Self::LEFT_LOOKING.lu::<T>(machine, size),
        }
    }
}

/// The kernel of a name and a type.
fn kernel(name: &str, kind: ScalarKind) -> Result<&'static Entry> {
    table::named(name, kind).ok_or_else(|| Error::Unsupported(format!("there is no kernel {name} for {}", kind.name())))
}

/// The same, loaded for a size.
fn load(machine: &Machine<'_>, name: &str, kind: ScalarKind, size: &Problem) -> Result<&'static Entry> {
    let entry = kernel(name, kind)?;
    machine.load(entry, size.n, entry.shape(size).shared_bytes)?;
    Ok(entry)
}

/// warplu's kernel for statuses and NaN of what failed, loaded.
fn load_finish(machine: &Machine<'_>, kind: ScalarKind, size: &Problem) -> Result<&'static Entry> {
    let entry = own::find(Family::Finish, Variant::Only, kind)
        .ok_or_else(|| Error::Unsupported(format!("there is no kernel finish for {}", kind.name())))?;
    machine.load(entry, size.n, entry.shape(size).shared_bytes)?;
    Ok(entry)
}
