//! What is read and written by ranges.

use std::io;

/// Elements that are read by ranges, from any thread.
pub trait Source<T>: Sync {
    /// Fills `to` with the elements from number `first` on.
    ///
    /// # Errors
    /// Whatever keeps them from being read; it ends the call as [`Error::Io`](crate::Error::Io).
    fn read(&self, first: usize, to: &mut [T]) -> io::Result<()>;
}

/// Elements that are written by ranges, from any thread. Ranges of a call do not overlap.
pub trait Sink<T>: Sync {
    /// Takes the elements from number `first` on.
    ///
    /// # Errors
    /// Whatever keeps them from being written; it ends the call as [`Error::Io`](crate::Error::Io).
    fn write(&self, first: usize, from: &[T]) -> io::Result<()>;
}
