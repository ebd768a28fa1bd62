//! The one thing that fails.

/// There is too little memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    /// How many bytes could not be allocated; what no memory holds saturates.
    pub bytes: usize,
}

/// What an operation returns.
pub type Result<T> = std::result::Result<T, NoMemory>;
