//! For algorithms of other crates: how they take part in the calls, plans and files of this one. The published algorithms
//! do it so. What is here may change with any version.

use std::fmt;
use std::hash::{Hash, Hasher};

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::shape::Shape;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::Pod;
use simt::global::Global;

pub use crate::route::{Array, Space};

use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::choice;
use crate::device::Single;
use crate::error::{Error, Result};
use crate::launch::{matrices_at, transposed};
use crate::layout::Layout;
use crate::operation::Work;

/// An algorithm of another crate, for [`Algorithm::Other`].
///
/// As text ([`Display`](fmt::Display)) it is its name and all of its options: two of the same text are the same.
pub trait Extension: fmt::Debug + fmt::Display + Send + Sync {
    /// The name, without options.
    fn name(&self) -> &'static str;

    /// As [`Algorithm::pivots`].
    fn pivots(&self) -> bool;

    /// That it leaves LU factors, or works with them.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if it does not, with what to use instead.
    fn leaves_factors(&self) -> Result<()>;

    /// How a machine does a part of a call for matrices of this size, with its kernels loaded; none where this is up to
    /// warplu's own kernels. Memory to work in is asked of `space`.
    ///
    /// # Errors
    /// What the algorithm cannot do, and what loading its kernels returns.
    fn steps(
        &self,
        part: Part,
        machine: &Machine<'_>,
        kind: ScalarKind,
        size: Problem,
        space: &mut Space,
    ) -> Result<Option<Steps>>;
}

/// What an algorithm may do. The operands are in the order in which a [`Job`] numbers them, from 0, all of the type that
/// is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// PA = LU: A, the factors, which may be in its place, pivots, statuses.
    Lu,
    /// A^-1 from LU factors: these, pivots, their statuses; the inverse, its statuses.
    LuInvert,
    /// A X = B from LU factors: these, pivots, their statuses; B, X, which may be in its place. The statuses of the
    /// solutions are found by others.
    LuSolve,
    /// A^-1: A, the inverse, which may be in its place, statuses.
    Invert,
    /// A X = B: A, B, X, which may be in the place of B, statuses.
    Solve,
}

/// An [`Extension`], as a value.
#[derive(Clone, Copy)]
pub struct Other(&'static dyn Extension);

impl Other {
    /// The algorithm.
    #[must_use]
    pub fn new(extension: &'static dyn Extension) -> Self {
        Self(extension)
    }

    pub(crate) fn extension(self) -> &'static dyn Extension {
        self.0
    }
}

impl fmt::Debug for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl PartialEq for Other {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl Eq for Other {}

impl Hash for Other {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_string().hash(state);
    }
}

/// A GPU, or the emulator of one, for which kernels are loaded.
#[derive(Debug)]
pub struct Machine<'a>(&'a Backend);

impl Machine<'_> {
    /// The compute capability that its kernels may ask for, times 10.
    #[must_use]
    pub fn tier(&self) -> u32 {
        self.0.limits().tier
    }

    /// Bytes of shared memory that a block may have.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.0.limits().shared_bytes
    }

    /// Loads a kernel for blocks with so many bytes of shared memory, so that a launch need not.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where a block cannot have them, for matrices of order `n`; the driver's errors.
    pub fn load(&self, entry: &'static Entry, n: u32, shared_bytes: u32) -> Result<()> {
        let limit = self.shared_bytes();
        if shared_bytes > limit {
            return Err(Error::TooLarge { n: n as usize, bytes: shared_bytes.into(), limit });
        }
        self.0.prepare(entry, shared_bytes)
    }

    /// The kernel, which must take the problem.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the machine has no such instructions, [`Error::AlgorithmTooLarge`] where a block
    /// needs more shared memory than there is.
    pub fn fit(&self, entry: &'static Entry, problem: &Problem) -> Result<&'static Entry> {
        choice::fit(entry, problem, self.0.limits())
    }

    /// warplu's kernel that inverts matrices of an order in one launch, a block of threads each at most; none where
    /// there is none.
    #[must_use]
    pub fn inverse(&self, kind: ScalarKind, n: u32) -> Option<&'static Entry> {
        choice::find(Algorithm::Auto, Family::Inverse, kind, &Problem { n, batch: 1, rhs: 1 }, self.0.limits())
    }
}

/// How a part of a call is done: chosen once. Then it only enqueues.
pub struct Steps(Enqueue);

type Enqueue = Box<dyn Fn(&Job<'_>) -> Result<()> + Send + Sync>;

impl Steps {
    /// What enqueues the work of a job, whose operands are as its [`Part`] says.
    #[must_use]
    pub fn new(enqueue: impl Fn(&Job<'_>) -> Result<()> + Send + Sync + 'static) -> Self {
        Self(Box::new(enqueue))
    }

    /// Enqueues the work.
    ///
    /// # Safety
    /// As for a route of the operands that the part has.
    pub(crate) unsafe fn enqueue(&self, work: &Work<'_>) -> Result<()> {
        (self.0)(&Job(work))
    }
}

/// What steps enqueue: on a batch, in a queue of the machine.
pub struct Job<'a>(&'a Work<'a>);

impl Job<'_> {
    /// How many matrices there are.
    #[must_use]
    pub fn batch(&self) -> u64 {
        self.0.batch
    }

    /// An operand that is matrices.
    #[must_use]
    pub fn matrices<T: Pod>(&self, operand: usize) -> Matrices<T> {
        self.0.matrices(operand)
    }

    /// An operand that is values.
    #[must_use]
    pub fn values<T: Pod>(&self, operand: usize) -> Global<T> {
        self.0.values(operand)
    }

    /// An array of the space.
    #[must_use]
    pub fn array<T: Pod>(&self, array: Array<T>) -> Global<T> {
        self.0.room.at(array)
    }

    /// An array of n x n numbers each, as matrices.
    #[must_use]
    pub fn square<T: Scalar>(&self, array: Array<T>, n: u32, row_major: bool) -> Matrices<T> {
        let columns = matrices_at(self.array(array).address(), Layout::column_major(n as usize, n as usize));
        if row_major { transposed(columns) } else { columns }
    }

    /// Launches a kernel over the whole batch, in as many grids as it takes: `args` are those for a range of matrices.
    ///
    /// # Safety
    /// The arguments are the kernel's, and name operands of the job and arrays of the space, within their bounds.
    ///
    /// # Errors
    /// The driver's, and what the emulator finds.
    pub unsafe fn launch<A>(&self, entry: &'static Entry, size: Problem, args: impl Fn(u64, u64) -> A) -> Result<()>
    where
        A: Copy + Send + Sync + 'static,
    {
        // SAFETY: the caller's promise.
        unsafe { self.0.launcher.launch(entry, self.0.sized(size), args) }
    }

    /// As [`Self::launch`], with the shape that so many matrices take. Shapes without blocks are not launched.
    ///
    /// # Safety
    /// As for [`Self::launch`].
    ///
    /// # Errors
    /// As [`Self::launch`].
    pub unsafe fn launch_as<A>(
        &self,
        entry: &'static Entry,
        shape: impl Fn(u64) -> Shape,
        args: impl Fn(u64, u64) -> A,
    ) -> Result<()>
    where
        A: Copy + Send + Sync + 'static,
    {
        // SAFETY: the caller's promise.
        unsafe { self.0.launcher.launch_as(entry, self.0.batch, shape, args) }
    }
}

/// How the device's algorithm does a part of a call, if it is another crate's and does it.
pub(crate) fn steps(
    device: &Single,
    part: Part,
    kind: ScalarKind,
    size: Problem,
    space: &mut Space,
) -> Result<Option<Steps>> {
    match device.options.algorithm {
        Algorithm::Other(other) => other.0.steps(part, &Machine(&device.backend), kind, size, space),
        _ => Ok(None),
    }
}
