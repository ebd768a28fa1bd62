//! What a triangular matrix is.

pub(super) use crate::triangle::Triangle;

/// What is on the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Diagonal {
    /// Ones, whatever is stored.
    Unit,
    /// What is stored.
    Stored,
}
