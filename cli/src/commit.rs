//! Outputs move to their places, all or none.
//!
//! A crash of the machine, or `kill -9`, between two renames can leave one output new beside another that is old, and
//! the old one's second name `.warplu-*`. Each of them is whole, as all are on the disk before the first rename.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::common::tell;
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::ranks;
use crate::temporary;

/// What was at an output's place.
#[derive(Debug)]
enum Old {
    Nothing,
    /// It has a second name.
    Linked(TempPath),
    /// It has another name, where files can have one only.
    Moved(TempPath),
}

/// Moves all outputs to their places, or none. All ranks call it at the same time; the first moves them.
pub(crate) fn commit(outputs: impl IntoIterator<Item = Output>) -> Result<()> {
    let mut outputs: Vec<_> = outputs.into_iter().collect();
    // What a reader has taken cannot be taken back, so streams wait for the files, those of all ranks, and renames for
    // the streams.
    let (mut streams, files): (Vec<_>, Vec<_>) = outputs.iter_mut().partition(|output| output.is_stream());
    files.into_iter().try_for_each(Output::settle)?;
    ranks::meet()?;
    streams.iter_mut().try_for_each(|stream| stream.settle())?;
    let files: Vec<_> = outputs.into_iter().filter_map(Output::into_file).collect();

    // An interrupt waits, too.
    let _interrupts = temporary::hold();
    let last = files.len().saturating_sub(1);
    let mut done: Vec<(PathBuf, Old)> = Vec::new();
    for (at, (name, file, path)) in files.into_iter().enumerate() {
        // The last one needs no way back.
        let moved = if at < last { replace(file, &path) } else { rename(file, &path).map(|()| Old::Nothing) };
        match moved {
            Ok(old) => done.push((path, old)),
            Err(e) => {
                done.into_iter().rev().for_each(|(path, old)| undo(&path, old));
                return Err(Failure::write(&name, e));
            }
        }
    }
    let directories: BTreeSet<_> = done.iter().map(|(path, _)| temporary::directory(path)).collect();
    for directory in directories {
        // Names are to be on the disk as well. Not every file system can do that, and nothing could be undone.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
}

/// Renames a file, keeping what was there.
fn replace(file: NamedTempFile, path: &Path) -> io::Result<Old> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        return Err(ErrorKind::IsADirectory.into());
    }
    let old = match temporary::name_beside(path, |name| fs::hard_link(path, name)) {
        Ok(name) => Old::Linked(name),
        Err(e) if e.kind() == ErrorKind::NotFound => Old::Nothing,
        Err(_) => Old::Moved(temporary::name_beside(path, |name| fs::rename(path, name))?),
    };
    match (rename(file, path), old) {
        (Ok(()), old) => Ok(old),
        (Err(e), Old::Moved(name)) => {
            undo(path, Old::Moved(name));
            Err(e)
        }
        (Err(e), _) => Err(e),
    }
}

fn rename(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|e| e.error)
}

/// Puts back what was there.
fn undo(path: &Path, old: Old) {
    let failed = match old {
        Old::Nothing => fs::remove_file(path).err().map(|e| format!("cannot be removed again ({e})")),
        Old::Linked(name) | Old::Moved(name) => name.persist(path).err().map(|e| {
            let kept = e.path.keep().unwrap_or_default();
            format!("cannot be put back ({}): what was there is {}", e.error, kept.display())
        }),
    };
    if let Some(failed) = failed {
        tell(format_args!("warplu: {}: {failed}", path.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a second name, and where there is none to be had.
    #[test]
    fn what_was_there_comes_back() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.npy");
        let files = || fs::read_dir(place.path()).unwrap().count();
        for moves in [false, true] {
            fs::write(&path, "old").unwrap();
            let name = |name: &Path| if moves { fs::rename(&path, name) } else { fs::hard_link(&path, name) };
            let kept = temporary::name_beside(&path, name).unwrap();
            fs::write(place.path().join("new"), "new").unwrap();
            fs::rename(place.path().join("new"), &path).unwrap();
            assert_eq!(files(), 2);
            undo(&path, if moves { Old::Moved(kept) } else { Old::Linked(kept) });
            assert_eq!((fs::read(&path).unwrap(), files()), (b"old".to_vec(), 1));
        }
        undo(&path, Old::Nothing);
        assert_eq!(files(), 0);
    }
}
