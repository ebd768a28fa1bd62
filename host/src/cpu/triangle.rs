//! What a triangular matrix is.

/// Where the triangle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Triangle {
    Lower,
    Upper,
}

/// What is on the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Diagonal {
    /// Ones, whatever is stored.
    Unit,
    /// What is stored.
    Stored,
}
