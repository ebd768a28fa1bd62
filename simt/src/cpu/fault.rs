//! What a kernel did wrong.

use std::any::Any;
use std::fmt;
use std::panic::Location;

use thiserror::Error;

/// The kinds of [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two threads touch the same bytes, at least one writes, and nothing orders them.
    Race,
    /// An access leaves its allocation or the block's shared memory.
    OutOfBounds,
    /// An address is not a multiple of its type's alignment.
    Misaligned,
    /// A read of memory that neither the host nor a kernel wrote.
    Unwritten,
    /// A barrier or a collective that not all who must reach it reach, in the same place.
    Divergence,
    /// Misuse of an mbarrier: one that is none, or is initialised already, or gets more than its phase expects.
    Mbarrier,
    /// An mbarrier is waited for, and nobody is left to complete its phase.
    Deadlock,
    /// An access to the shared memory of a block of the cluster that has ended, or may have.
    Ended,
    /// The kernel panicked.
    Panic,
    /// The launch itself is impossible; no block ran.
    Launch,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Race => "race",
            Self::OutOfBounds => "access out of bounds",
            Self::Misaligned => "misaligned access",
            Self::Unwritten => "read of unwritten memory",
            Self::Divergence => "divergence",
            Self::Mbarrier => "misuse of an mbarrier",
            Self::Deadlock => "deadlock",
            Self::Ended => "access to a block that has ended",
            Self::Panic => "panic",
            Self::Launch => "impossible launch",
        })
    }
}

/// A thread at a line of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The thread's block.
    pub block: u32,
    /// The thread in its block.
    pub thread: u32,
    /// The source file.
    pub file: String,
    /// The line in it.
    pub line: u32,
}

impl Site {
    pub(super) fn new(block: u32, thread: u32, location: &Location<'_>) -> Self {
        Self { block, thread, file: location.file().to_owned(), line: location.line() }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}, thread {} at {}:{}", self.block, self.thread, self.file, self.line)
    }
}

/// Why a launch ended early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind} in kernel {kernel}, {}: {detail}", place(*.kind, .site))]
#[non_exhaustive]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The kernel's name, from the launch.
    pub kernel: String,
    /// Who did it, and where. For [`FaultKind::Launch`]: the caller of [`run`](super::run), with zeros for the thread.
    pub site: Site,
    /// The other thread, where two are at odds.
    pub other: Option<Box<Site>>,
    /// What happened, in a sentence.
    pub detail: String,
}

fn place(kind: FaultKind, site: &Site) -> String {
    if kind == FaultKind::Launch { format!("{}:{}", site.file, site.line) } else { site.to_string() }
}

/// What a part of the machine found wrong with the running thread; the block adds who that is.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) kind: FaultKind,
    pub(super) detail: String,
    pub(super) other: Option<Box<Site>>,
}

impl Finding {
    pub(super) fn new(kind: FaultKind, detail: String) -> Box<Self> {
        Box::new(Self { kind, detail, other: None })
    }

    pub(super) fn against(kind: FaultKind, other: Site, detail: String) -> Box<Self> {
        Box::new(Self { kind, detail, other: Some(Box::new(other)) })
    }
}

/// What a kernel's panic says.
pub(super) fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "the kernel panicked".to_owned()
    }
}
