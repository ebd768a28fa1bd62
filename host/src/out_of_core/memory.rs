//! Vectors as sources and sinks, for inputs or outputs that do fit in memory beside others that do not.

use std::io::{self, ErrorKind};
use std::sync::{Mutex, PoisonError};

use super::{Sink, Source};

impl<T: Copy + Sync> Source<T> for Vec<T> {
    fn read(&self, first: usize, to: &mut [T]) -> io::Result<()> {
        let from = range(self.len(), first, to.len())?;
        to.copy_from_slice(&self[from]);
        Ok(())
    }
}

impl<T: Copy + Send> Sink<T> for Mutex<Vec<T>> {
    fn write(&self, first: usize, from: &[T]) -> io::Result<()> {
        let mut all = self.lock().unwrap_or_else(PoisonError::into_inner);
        let to = range(all.len(), first, from.len())?;
        all[to].copy_from_slice(from);
        Ok(())
    }
}

/// So many elements from number `first` on, if there are so many.
fn range(len: usize, first: usize, count: usize) -> io::Result<std::ops::Range<usize>> {
    let end = first.checked_add(count).filter(|&end| end <= len);
    end.map(|end| first..end).ok_or_else(|| {
        let fault = format!("the vector has {len} elements: too few for {count} from number {first} on");
        io::Error::new(ErrorKind::UnexpectedEof, fault)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_written() {
        let mut to = [0; 2];
        vec![1, 2, 3].read(1, &mut to).unwrap();
        assert_eq!(to, [2, 3]);
        let sink = Mutex::new(vec![0; 3]);
        sink.write(1, &to).unwrap();
        assert_eq!(*sink.lock().unwrap(), [0, 2, 3]);
    }

    #[test]
    fn ranges_that_are_not_there_are_errors() {
        for first in [2, 3, usize::MAX] {
            let read = vec![1, 2, 3].read(first, &mut [0; 2]).unwrap_err();
            let written = Mutex::new(vec![1, 2, 3]).write(first, &[0; 2]).unwrap_err();
            for error in [read, written] {
                assert!(error.to_string().contains("the vector has 3 elements"), "{error}");
            }
        }
        vec![1, 2, 3].read(3, &mut []).unwrap();
    }
}
