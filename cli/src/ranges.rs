//! Files that several threads read and write by ranges, and the streams that are copied to and from them.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};

use crate::memory;

/// Bytes that are copied at a time.
const PIECE: usize = 1 << 20;

/// Fills `to` from byte `offset` on.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, to: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, to, offset)
}

/// Writes all of `from` from byte `offset` on.
#[cfg(unix)]
pub(crate) fn write_all_at(file: &File, from: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, from, offset)
}

/// Held from moving a file's position to the end of the transfer.
#[cfg(not(unix))]
static POSITION: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Fills `to` from byte `offset` on.
#[cfg(not(unix))]
pub(crate) fn read_exact_at(mut file: &File, to: &mut [u8], offset: u64) -> io::Result<()> {
    let _held = POSITION.lock();
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    file.read_exact(to)
}

/// Writes all of `from` from byte `offset` on.
#[cfg(not(unix))]
pub(crate) fn write_all_at(mut file: &File, from: &[u8], offset: u64) -> io::Result<()> {
    let _held = POSITION.lock();
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    file.write_all(from)
}

/// Copies the first `len` bytes of a file to where bytes go in order.
pub(crate) fn copy_out(file: &File, len: u64, to: &mut impl Write) -> io::Result<()> {
    let mut piece = memory::zeros(PIECE)?;
    let mut at = 0;
    while at < len {
        let count = usize::try_from(len - at).map_or(PIECE, |rest| rest.min(PIECE));
        read_exact_at(file, &mut piece[..count], at)?;
        to.write_all(&piece[..count])?;
        at += count as u64;
    }
    to.flush()
}

/// Which side of a copy failed.
#[derive(Debug)]
pub(crate) enum CopyError {
    From(io::Error),
    To(io::Error),
}

/// Copies a stream into a file, at most `most` bytes; returns how many there were.
pub(crate) fn copy_in(from: &mut impl Read, most: u64, mut to: &File) -> Result<u64, CopyError> {
    let mut piece = memory::zeros(PIECE).map_err(CopyError::To)?;
    let mut at = 0;
    while at < most {
        let wanted = usize::try_from(most - at).map_or(PIECE, |rest| rest.min(PIECE));
        match from.read(&mut piece[..wanted]) {
            Ok(0) => break,
            Ok(count) => {
                to.write_all(&piece[..count]).map_err(CopyError::To)?;
                at += count as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(CopyError::From(e)),
        }
    }
    Ok(at)
}

/// Standard input without the buffer of Rust's.
pub(crate) fn stdin() -> io::Result<File> {
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().map(File::from);
}

/// Standard output without the buffer of Rust's, which splits what is written into lines.
pub(crate) fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned().map(File::from);
}
