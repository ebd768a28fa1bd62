//! What is read and written by ranges.

use std::io;

/// Elements that are read by ranges, from any thread. A `Vec<T>` is one.
///
/// ```
/// use std::fs::File;
/// use std::io;
/// use std::os::unix::fs::FileExt;
/// use warplu::out_of_core::Source;
///
/// /// Numbers of eight bytes each, the least first.
/// struct Numbers(File);
/// impl Source<f64> for Numbers {
///     fn read(&self, first: usize, to: &mut [f64]) -> io::Result<()> {
///         let mut bytes = vec![0; 8 * to.len()];
///         self.0.read_exact_at(&mut bytes, 8 * first as u64)?;
///         let numbers = bytes.as_chunks().0.iter().copied().map(f64::from_le_bytes);
///         to.iter_mut().zip(numbers).for_each(|(to, x)| *to = x);
///         Ok(())
///     }
/// }
/// ```
pub trait Source<T>: Sync {
    /// Fills `to` with the elements from number `first` on.
    ///
    /// # Errors
    /// Whatever keeps them from being read; it ends the call as [`Error::Io`](crate::Error::Io).
    fn read(&self, first: usize, to: &mut [T]) -> io::Result<()>;
}

/// Elements that are written by ranges, from any thread. Ranges of a call do not overlap. A `Mutex<Vec<T>>` is one.
///
/// ```
/// use std::fs::File;
/// use std::io;
/// use std::os::unix::fs::FileExt;
/// use warplu::out_of_core::Sink;
///
/// /// Numbers of eight bytes each, the least first.
/// struct Numbers(File);
/// impl Sink<f64> for Numbers {
///     fn write(&self, first: usize, from: &[f64]) -> io::Result<()> {
///         let bytes: Vec<u8> = from.iter().flat_map(|x| x.to_le_bytes()).collect();
///         self.0.write_all_at(&bytes, 8 * first as u64)
///     }
/// }
/// ```
pub trait Sink<T>: Sync {
    /// Takes the elements from number `first` on.
    ///
    /// # Errors
    /// Whatever keeps them from being written; it ends the call as [`Error::Io`](crate::Error::Io).
    fn write(&self, first: usize, from: &[T]) -> io::Result<()>;
}
