//! Names of threads.

/// A thread of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id {
    /// The rank of its block in the cluster.
    pub(super) rank: u32,
    /// The thread in its block.
    pub(super) thread: u32,
}
