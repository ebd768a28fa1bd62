//! Entry points as the host sees them.

use core::any::TypeId;
use core::ops::Range;

use crate::operation::getrs::cluster_per_rhs;
use crate::ptx::Module;
use crate::schedule::from_factors;
use crate::schedule::in_thread;
use crate::schedule::left_looking::sink::upper_numbers;
use crate::schedule::multi_block::definite::diagonal;
use crate::schedule::multi_block::{panel, slab};
use crate::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;

/// Whether entry points have a body that the emulator can run: with the feature `emulator`, but for this crate's own
/// unit tests, which run none and would compile all of them once more.
pub const EMULATED: bool = cfg!(all(feature = "emulator", not(test)));

/// Threads of a cluster that factors a panel, at most.
const MAX_PANEL_THREADS: u32 = panel::THREADS * panel::MAX_BLOCKS;
/// Threads of a cluster that hold rows of a slab, at most.
const MAX_SLAB_LANES: u32 = simt::warp::SIZE * slab::MAX_SENDERS;

/// What an entry point does, by LAPACK's names where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// LU factorization (`xGETRF`).
    Getrf,
    /// LU factorization without interchanges.
    GetrfNopiv,
    /// Solution from factors (`xGETRS`).
    Getrs,
    /// Solution with a triangle (`xTRTRS`).
    Trtrs,
    /// Solution from the matrix itself (`xGESV`, without its factors).
    Gesv,
    /// Inverse from factors (`xGETRI`).
    Getri,
    /// Inverse from the matrix itself, by Gauss-Jordan elimination.
    Inverse,
    /// Cholesky factorization (`xPOTRF`).
    Potrf,
    /// A step of an operation by many blocks a matrix.
    Steps,
    /// Cholesky factors as those of LU.
    LuOfCholesky,
    /// Matrices put together from triangles of others.
    Triangle,
    /// Unit matrices in the place of others.
    Identity,
    /// Hermitian matrices from their lower triangles.
    Mirror,
    /// Determinant from factors.
    Det,
    /// Determinant from Cholesky factors.
    CholeskyDet,
    /// Final status, and NaN for what failed.
    Finish,
    /// The same of results of triangular matrices.
    FinishTriangular,
    /// 16-bit storage to f32.
    Widen,
    /// f32 to 16-bit storage.
    Narrow,
    /// Iterative refinement of solutions.
    Refine,
    /// The machine's primitives.
    Probe,
    /// Those of clusters.
    ClusterProbe,
    /// What an algorithm of another crate takes.
    Other,
}

impl Family {
    /// What it is called in messages, and how the names of its kernels begin, but for those of other crates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Getrf => "getrf",
            Self::GetrfNopiv => "getrf_nopiv",
            Self::Getrs => "getrs",
            Self::Trtrs => "trtrs",
            Self::Gesv => "gesv",
            Self::Getri => "getri",
            Self::Inverse => "inverse",
            Self::Potrf => "potrf",
            Self::Steps => "steps",
            Self::LuOfCholesky => "lu_of_cholesky",
            Self::Triangle => "triangle",
            Self::Identity => "identity",
            Self::Mirror => "mirror",
            Self::Det => "det",
            Self::CholeskyDet => "cholesky_det",
            Self::Finish => "finish",
            Self::FinishTriangular => "finish_triangular",
            Self::Widen => "widen",
            Self::Narrow => "narrow",
            Self::Refine => "refine",
            Self::Probe => "probe",
            Self::ClusterProbe => "cluster_probe",
            Self::Other => "other",
        }
    }
}

/// Which of a family's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// There is no other.
    Only,
    /// A thread a matrix, of order up to 4.
    InThread,
    /// Some lanes of a warp, or all, a matrix of order up to `n`, all of it in registers.
    InRegisters {
        /// The largest order.
        n: u8,
    },
    /// A warp, or a part of it, a matrix of order up to `n`: a few solutions from factors.
    Warp {
        /// The largest order.
        n: u8,
    },
    /// A lane a right-hand side, or a row of the inverse, of order up to `n`: from factors.
    LanePerRhs {
        /// The largest order.
        n: u8,
    },
    /// A warp a right-hand side: lanes hold its rows, and panels of the factors pass through registers.
    WarpPerRhs {
        /// The largest order.
        n: u16,
        /// Columns of a panel.
        columns: u8,
    },
    /// A cluster of blocks a right-hand side: a warp a strip of rows.
    ClusterPerRhs,
    /// A warp a matrix, or several: panels pass through registers from left to right, L stays in shared memory.
    LeftLooking {
        /// The largest order.
        n: u16,
        /// Warps of a block.
        warps: u8,
    },
    /// A block a matrix, all of it in registers and shared memory; a warp of its own factors panels ahead.
    LookAhead {
        /// The largest order.
        n: u16,
        /// Panels of 8 columns that an updating warp holds.
        panels: u8,
        /// Tiles of 16 rows of them that are in registers.
        held: u8,
    },
    /// A block a matrix: one slab of `panels` panels of 8 columns after the other in registers, 32 `rows` rows a warp.
    Blocked {
        /// Rows that a lane holds of a panel.
        rows: u8,
        /// Panels of a slab.
        panels: u8,
        /// Warps of a block at most.
        warps: u8,
    },
    /// A block a matrix, all of it in registers: each warp owns panels of `columns` columns of all rows, up to 32
    /// `rows` of them.
    RegisterBlocked {
        /// Rows that a lane holds.
        rows: u8,
        /// Columns of a panel.
        columns: u8,
        /// Panels that a warp holds.
        panels: u8,
        /// Warps of a block at most.
        warps: u8,
    },
    /// From factors, a warp 16 `tiles` rows of right-hand sides: chunks of `panels` panels of 8 columns of them are in
    /// registers.
    FromFactors {
        /// Panels of a chunk.
        panels: u8,
        /// Tiles of a warp.
        tiles: u8,
        /// Warps of a block at most.
        warps: u8,
    },
    /// Left-looking Cholesky factorization, a block a matrix: L stays in shared memory.
    CholeskyInShared {
        /// Warps of a block.
        warps: u8,
        /// Blocks of 16 x 16 that a warp has at a time.
        rows: u8,
    },
    /// The same, L in device memory.
    CholeskyInMemory {
        /// Warps of a block.
        warps: u8,
        /// Blocks of 16 x 16 that a warp has at a time.
        rows: u8,
    },
    /// A block a matrix, in shared memory.
    Shared,
    /// A block a matrix, in device memory.
    Global,
    /// To the workspace of operations by many blocks.
    Pack,
    /// The factorization of a panel of `columns` columns by a cluster, `rows` rows a lane.
    Panel {
        /// Rows that a lane holds.
        rows: u8,
        /// Columns of a panel.
        columns: u8,
    },
    /// The factorization of some panels of `columns` columns by a cluster, `rows` rows a lane.
    Slab {
        /// Rows that a lane holds.
        rows: u8,
        /// Columns of a panel.
        columns: u8,
    },
    /// The factorization of a column of a panel, by blocks that do not wait for each other.
    Column,
    /// The Cholesky factorization of a block on the diagonal.
    Diagonal,
    /// A triangular solve of a block of columns.
    Triangle {
        /// Columns of the triangle at most.
        columns: u8,
    },
    /// The update of other rows by it.
    TrailingUpdate {
        /// Columns of L that pass through shared memory at a time.
        depth: u8,
    },
    /// The update of the rows below by rows of a Cholesky factor.
    DefiniteUpdate {
        /// Rows that pass through shared memory at a time.
        depth: u8,
    },
    /// As [`Self::TrailingUpdate`], in small tiles.
    SmallTrailingUpdate {
        /// The same.
        depth: u8,
    },
    /// As [`Self::DefiniteUpdate`], in small tiles.
    SmallDefiniteUpdate {
        /// The same.
        depth: u8,
    },
    /// Back substitution for a few right-hand sides, a cluster each.
    SolveUpper,
    /// From the workspace of operations by many blocks.
    Unpack,
    /// Cholesky factors from there.
    UnpackDefinite,
    /// The list of pivot rows from factors.
    PivotRows,
    /// The status of solutions.
    Status,
    /// Matrices to single precision, and their norms.
    ToSingle,
    /// Right-hand sides to single precision.
    Start,
    /// Residuals, with corrections in the same precision.
    Residual,
    /// Residuals, with corrections in single precision.
    ResidualOfSingle,
    /// The next correction, by norms.
    NormWise,
    /// The next correction, component by component.
    ComponentWise,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
}

impl Variant {
    /// Numbers of device memory that a kernel that factors and solves needs for a matrix of order `n`.
    #[must_use]
    pub const fn work_numbers(self, n: u32) -> u32 {
        match self {
            Self::LeftLooking { .. } => upper_numbers(n),
            _ => 0,
        }
    }

    /// The largest order that it takes, if the shared memory of its launch is there.
    #[must_use]
    pub const fn largest_order(self) -> u32 {
        match self {
            Self::InThread => in_thread::MAX_ORDER,
            Self::InRegisters { n } | Self::Warp { n } | Self::LanePerRhs { n } => n as u32,
            Self::WarpPerRhs { n, .. } | Self::LeftLooking { n, .. } | Self::LookAhead { n, .. } => n as u32,
            Self::RegisterBlocked { rows, .. } => 32 * rows as u32,
            Self::Blocked { rows, warps, .. } => 32 * rows as u32 * warps as u32,
            Self::ClusterPerRhs | Self::SolveUpper => cluster_per_rhs::MAX_ORDER,
            Self::FromFactors { .. } => from_factors::MAX_ORDER,
            Self::Panel { rows, .. } => MAX_PANEL_THREADS * rows as u32,
            Self::Slab { rows, .. } => MAX_SLAB_LANES * rows as u32,
            Self::Diagonal => diagonal::MAX_WIDTH,
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
    /// The tiers of GPUs that have it: from the compute capability that its instructions ask for, times 10, to below
    /// that from which on a better one does the same.
    pub tiers: Range<u32>,
    /// Where its PTX is.
    pub modules: &'static [Module],
    /// Most threads that a block of it may have.
    pub max_threads: u32,
    /// Blocks that a multiprocessor should have registers for.
    pub min_blocks: u32,
    #[doc(hidden)]
    pub args: fn() -> TypeId,
    #[doc(hidden)]
    pub shape: fn(&Problem, ScalarKind) -> Shape,
    #[doc(hidden)]
    pub body: Option<unsafe fn(*const ())>,
}

impl Entry {
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
    /// The entry [`takes`](Self::takes) the type of `args`, and `args` satisfies what the kernel's argument struct
    /// says.
    pub unsafe fn run<A: Copy + 'static>(&self, args: &A) {
        let body = self.body.expect("built with the feature `emulator`");
        // SAFETY: the caller's promise.
        unsafe { body((&raw const *args).cast()) }
    }
}
