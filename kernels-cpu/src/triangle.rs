//! What a triangular matrix is.

/// Which triangle it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Triangle {
    /// The diagonal and what is below.
    Lower,
    /// The diagonal and what is above.
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
