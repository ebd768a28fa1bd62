//! Room on a file system, taken before it is filled.

use std::fs::File;
use std::io;

/// Why there is none.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "room is not asked for"))]
pub(crate) enum Lack {
    /// Bytes that are free.
    Free(u64),
    /// Bytes that a file may have.
    Limit(u64),
    Other(io::Error),
}

/// Takes `bytes` for a new file. Where the file system cannot do that, nothing is said: writing will tell.
#[cfg(unix)]
pub(crate) fn reserve(file: &File, bytes: u64) -> Result<(), Lack> {
    use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
    use rustix::io::Errno;
    use rustix::process::{Resource, getrlimit};

    // Beyond this limit there is a signal instead of an error.
    if let Some(limit) = getrlimit(Resource::Fsize).current.filter(|&limit| limit < bytes) {
        return Err(Lack::Limit(limit));
    }
    // Asked first, so that no other program finds the disk full while space is taken in vain.
    let free = || fstatvfs(file).ok().filter(|found| found.f_blocks > 0).map(|found| found.f_bavail * found.f_frsize);
    if let Some(free) = free().filter(|&free| free < bytes) {
        return Err(Lack::Free(free));
    }
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        // Others may have taken it meanwhile, or may not leave all of it to this user.
        Err(e @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(Lack::Other(e.into())),
        _ => Ok(()),
    }
}

/// Whether a file is on NFS, where machines may write back whole pages, and so each other's bytes.
#[cfg(target_os = "linux")]
pub(crate) fn is_on_nfs(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|found| found.f_type == rustix::fs::NFS_SUPER_MAGIC)
}

/// Whether a file is known to be on NFS.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_on_nfs(_: &File) -> bool {
    false
}

/// Takes `bytes` for a new file, where that is known how.
#[cfg(not(unix))]
pub(crate) fn reserve(_: &File, _: u64) -> Result<(), Lack> {
    Ok(())
}
