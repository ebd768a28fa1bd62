//! Entry points as the host sees them.

use core::any::TypeId;

use crate::scalar::ScalarKind;
use crate::shape::{Problem, Shape};
use crate::stream::upper::upper_numbers;
use crate::table::ENTRIES;

/// Whether entry points have a body that the emulator can run: with the feature `emulator`.
pub const EMULATED: bool = cfg!(feature = "emulator");

/// What an entry point does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// LU factorization.
    Lu,
    /// Inverse from LU.
    Inverse,
    /// Solve from LU.
    Solve,
    /// Inverse, from the matrix itself.
    Invert,
    /// Solve, from the matrix itself.
    FactorSolve,
    /// Determinant from LU.
    Det,
    /// 16-bit storage to f32.
    Widen,
    /// f32 to 16-bit storage.
    Narrow,
    /// Published left-looking batched LU.
    LeftLooking,
    /// Published right-looking batched LU.
    RightLooking,
    /// Published inversion of U, timely.
    UpperTimely,
    /// Published inversion of U, delayed.
    UpperDelayed,
    /// Published solve with L, timely.
    LowerTimely,
    /// Published solve with L, delayed.
    LowerDelayed,
    /// Published permutation of an inverse's columns.
    Columns,
    /// The machine's primitives.
    Probe,
    /// A batch to another of the same type.
    Copy,
    /// Pivot search and interchange for one column.
    Pivot,
    /// Gaussian elimination of one column.
    Elimination,
    /// Element-wise update of a trailing matrix.
    ElementWise,
    /// Forward and backward substitution.
    Substitution,
    /// Hermitian inversion by bordering.
    Bordering,
    /// Final status, and NaN for what failed.
    Finish,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::Lu,
        Self::Inverse,
        Self::Solve,
        Self::Invert,
        Self::FactorSolve,
        Self::Det,
        Self::Widen,
        Self::Narrow,
        Self::LeftLooking,
        Self::RightLooking,
        Self::UpperTimely,
        Self::UpperDelayed,
        Self::LowerTimely,
        Self::LowerDelayed,
        Self::Columns,
        Self::Probe,
        Self::Copy,
        Self::Pivot,
        Self::Elimination,
        Self::ElementWise,
        Self::Substitution,
        Self::Bordering,
        Self::Finish,
    ];

    /// The name of its PTX archive.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lu => "lu",
            Self::Inverse => "inverse",
            Self::Solve => "solve",
            Self::Invert => "invert",
            Self::FactorSolve => "factor_solve",
            Self::Det => "det",
            Self::Widen => "widen",
            Self::Narrow => "narrow",
            Self::LeftLooking => "left_looking",
            Self::RightLooking => "right_looking",
            Self::UpperTimely => "upper_timely",
            Self::UpperDelayed => "upper_delayed",
            Self::LowerTimely => "lower_timely",
            Self::LowerDelayed => "lower_delayed",
            Self::Columns => "columns",
            Self::Probe => "probe",
            Self::Copy => "copy",
            Self::Pivot => "pivot",
            Self::Elimination => "elimination",
            Self::ElementWise => "element_wise",
            Self::Substitution => "substitution",
            Self::Bordering => "bordering",
            Self::Finish => "finish",
        }
    }
}

/// Which of a family's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// There is no other.
    Only,
    /// n <= 4, in registers of a part of a warp or of all of it.
    Warp4,
    /// n <= 8, in registers of a part of a warp or of all of it.
    Warp8,
    /// n <= 16, in registers of a part of a warp or of all of it.
    Warp16,
    /// n <= 24, in registers of a part of a warp or of all of it.
    Warp24,
    /// n <= 32, in registers of a part of a warp or of all of it.
    Warp32,
    /// A block a matrix: each warp owns panels of `columns` columns of all rows, up to 32 `rows` of them, in registers.
    Tile {
        /// Rows that a lane holds.
        rows: u8,
        /// Columns of a panel.
        columns: u8,
        /// Panels that a warp holds.
        slots: u8,
        /// Warps of a block at most.
        warps: u8,
    },
    /// A block a matrix: one slab of `panels` panels of 8 columns after the other in registers, 32 `rows` rows a warp.
    Slab {
        /// Rows that a lane holds of a panel.
        rows: u8,
        /// Panels of a slab.
        panels: u8,
        /// Warps of a block at most.
        warps: u8,
    },
    /// A block a matrix, all of it in registers and shared memory: up to 16 `blocks` rows and columns; panels are factored ahead, by a warp of its own.
    Ahead {
        /// Tiles of 16 rows.
        blocks: u8,
        /// Panels of 8 columns that an updating warp holds.
        slots: u8,
        /// Tiles of them that are in registers.
        held: u8,
    },
    /// A warp or two a matrix of up to 16 `blocks` rows: panels stream through registers, L stays in shared memory.
    Stream {
        /// Tiles of 16 rows.
        blocks: u8,
        /// Warps of a block.
        warps: u8,
    },
    /// A warp a right-hand side: lanes hold up to `rows` rows of it each, and panels of `columns` columns of the factors pass
    /// through registers.
    Lanes {
        /// Rows that a lane holds.
        rows: u8,
        /// Columns of a panel.
        columns: u8,
    },
    /// A block a matrix, in shared memory.
    Shared,
    /// A block a matrix, in device memory.
    Global,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
    /// Panels of 8 columns.
    Nb8,
    /// Panels of 10 columns.
    Nb10,
    /// Panels of 14 columns.
    Nb14,
    /// Panels of 16 columns.
    Nb16,
    /// Panels of 18 columns.
    Nb18,
    /// Panels of 20 columns.
    Nb20,
    /// Panels of 24 columns.
    Nb24,
    /// Panels of 28 columns.
    Nb28,
    /// Panels of 32 columns.
    Nb32,
    /// One after the other, in place.
    Swap,
    /// Each to where it belongs.
    Gather,
    /// A thread a row.
    Rows,
    /// A thread a row, the pivot row in shared memory.
    RowsShared,
    /// A block a row.
    Columns,
    /// A block a row, the pivot row in shared memory.
    ColumnsShared,
    /// Tiles of 8 x 8.
    Tile8,
    /// Tiles of 16 x 16.
    Tile16,
    /// Tiles of 32 x 32.
    Tile32,
    /// With LU factors.
    Factors,
    /// With upper triangles.
    Upper,
    /// Matrix times vector.
    Product,
    /// First stage of a dot product.
    Dot,
    /// Second stage of a dot product.
    Beta,
    /// Outer product.
    Outer,
    /// Scaling of a matrix.
    Scale,
    /// Matrix addition.
    Add,
}

impl Variant {
    /// Panels of `nb` columns, where there are kernels for that.
    #[must_use]
    pub const fn of_width(nb: u32) -> Option<Self> {
        Some(match nb {
            8 => Self::Nb8,
            10 => Self::Nb10,
            14 => Self::Nb14,
            16 => Self::Nb16,
            18 => Self::Nb18,
            20 => Self::Nb20,
            24 => Self::Nb24,
            28 => Self::Nb28,
            32 => Self::Nb32,
            _ => return None,
        })
    }

    /// Numbers of device memory that a kernel that factors and solves needs for a matrix of order `n`.
    #[must_use]
    pub const fn work_numbers(self, n: u32) -> u32 {
        match self {
            Self::Stream { .. } => upper_numbers(n),
            _ => 0,
        }
    }

    /// The largest order that it takes, if the shared memory of its launch is there.
    #[must_use]
    pub const fn largest_order(self) -> u32 {
        match self {
            Self::Warp4 => 4,
            Self::Warp8 => 8,
            Self::Warp16 => 16,
            Self::Warp24 => 24,
            Self::Warp32 => 32,
            Self::Tile { rows, .. } | Self::Lanes { rows, .. } => 32 * rows as u32,
            Self::Ahead { blocks, .. } | Self::Stream { blocks, .. } => 16 * blocks as u32,
            Self::Slab { rows, warps, .. } => 32 * rows as u32 * warps as u32,
            _ => u32::MAX,
        }
    }
}

/// An entry point: its PTX name, its launch shape, and its body for the emulator.
#[derive(Debug)]
pub struct Entry {
    /// The name in the PTX.
    pub name: &'static str,
    /// What it does.
    pub family: Family,
    /// How.
    pub variant: Variant,
    /// The type it computes with.
    pub kind: ScalarKind,
    /// Most threads that a block of it may have.
    pub max_threads: u32,
    /// Blocks that a multiprocessor should have registers for.
    pub min_blocks: u32,
    pub(crate) args: fn() -> TypeId,
    pub(crate) shape: fn(&Problem, ScalarKind) -> Shape,
    pub(crate) body: Option<unsafe fn(*const ())>,
}

impl Entry {
    /// The entry point of a family, variant and type.
    #[must_use]
    pub fn find(family: Family, variant: Variant, kind: ScalarKind) -> Option<&'static Self> {
        ENTRIES.iter().find(|e| (e.family, e.variant, e.kind) == (family, variant, kind))
    }

    /// The entry point of a name without its type, such as `lu_small8`, for a type.
    #[must_use]
    pub fn named(name: &str, kind: ScalarKind) -> Option<&'static Self> {
        ENTRIES.iter().find(|e| e.kind == kind && e.base_name() == name)
    }

    /// The name without its type.
    #[must_use]
    pub fn base_name(&self) -> &'static str {
        self.name.rsplit_once('_').map_or(self.name, |(base, _)| base)
    }

    /// The shape of its launch for a problem.
    #[must_use]
    pub fn shape(&self, problem: &Problem) -> Shape {
        let largest = self.variant.largest_order();
        if problem.n > largest {
            let shape = (self.shape)(&Problem { n: largest, ..*problem }, self.kind);
            return Shape { shared_bytes: u32::MAX, ..shape };
        }
        (self.shape)(problem, self.kind)
    }

    /// Whether it takes the problem, where a block may have `shared_limit` bytes of shared memory.
    #[must_use]
    pub fn fits(&self, problem: &Problem, shared_limit: u32) -> bool {
        problem.n <= self.variant.largest_order() && self.shape(problem).shared_bytes <= shared_limit
    }

    /// Whether `A` is its argument struct.
    #[must_use]
    pub fn takes<A: 'static>(&self) -> bool {
        (self.args)() == TypeId::of::<A>()
    }

    /// Runs its body as one thread of the emulator.
    ///
    /// # Panics
    /// It has none: see [`EMULATED`].
    ///
    /// # Safety
    /// The entry [`takes`](Self::takes) the type of `args`, and `args` satisfies what the kernel's argument struct says.
    pub unsafe fn run<A: Copy + 'static>(&self, args: &A) {
        let body = self.body.expect("built with the feature `emulator`");
        // SAFETY: the caller's promise.
        unsafe { body((&raw const *args).cast()) }
    }
}
