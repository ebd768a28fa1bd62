//! Output files: filled beside their place, and moved there when all is well.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::{Failure, Result};
use crate::place::Place;
use crate::ranges::{copy_out, read_exact_at, stdout, write_all_at};
use crate::ranks::{self, Part};
use crate::space::{self, Lack};
use crate::temporary;

/// An output file that is not in its place yet, though it is sure that it can be made.
#[derive(Debug)]
pub(crate) struct Output {
    /// As messages name it.
    name: PathBuf,
    /// What this rank writes of the whole batch.
    part: Part,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A file that is to have the name `path`, which is absolute.
    File { temporary: NamedTempFile, path: PathBuf },
    /// Such a file, made by the first rank, which will move it.
    Shared { file: File },
    /// A pipe or a device, to which the file without a name is copied in the end.
    Stream { spool: File, to: File, is_stdout: bool },
}

impl Output {
    /// Opens a new file beside `name`, `-` being standard output; what is at `name` stays untouched until the commit.
    pub(crate) fn create(name: &Path) -> Result<Self> {
        let is_stdout = is_stdout(name);
        let name = if is_stdout { Path::new("stdout") } else { name };
        let fail = |e| Failure::write(name, e);
        let to = match is_stdout {
            true => stdout().map_err(fail)?,
            false => match Place::of(name).map_err(fail)? {
                Place::Special => OpenOptions::new().write(true).open(name).map_err(fail)?,
                Place::File(path) => {
                    let temporary = temporary::beside(&path).map_err(fail)?;
                    return Ok(Self::new(name, Target::File { temporary, path }));
                }
            },
        };
        let spool = tempfile::tempfile().map_err(|e| Failure::spool(name, e))?;
        Ok(Self::new(name, Target::Stream { spool, to, is_stdout }))
    }

    /// The same of a file that each rank writes a part of; they call it at the same time.
    pub(crate) fn create_shared(name: &Path, part: Part) -> Result<Self> {
        ranks::expect_file(name)?;
        let output = if ranks::is_first() {
            let own = Self::create(name)?;
            if ranks::are_on_several_machines() && space::is_on_nfs(own.file()) {
                return Err(Failure::Nfs { path: name.to_owned() });
            }
            ranks::tell(own.temporary().as_os_str().as_encoded_bytes())?;
            own
        } else {
            let path = path_of(ranks::told()?);
            let opened = OpenOptions::new().read(true).write(true).open(path).map_err(|e| match e.kind() {
                ErrorKind::NotFound => Failure::NotShared { path: name.to_owned() },
                _ => Failure::write(name, e),
            });
            Self::new(name, Target::Shared { file: opened? })
        };
        Ok(Self { part, ..output })
    }

    fn new(name: &Path, target: Target) -> Self {
        Self { name: name.to_owned(), part: Part::default(), target }
    }

    /// Fails if two of the outputs are one.
    pub(crate) fn expect_distinct(outputs: &[&Self]) -> Result<()> {
        for (i, one) in outputs.iter().enumerate() {
            let is_same = |other: &&Self| match (&one.target, &other.target) {
                (Target::File { path, .. }, Target::File { path: other, .. }) => path == other,
                (Target::Stream { is_stdout, .. }, Target::Stream { is_stdout: other, .. }) => *is_stdout && *other,
                _ => false,
            };
            if outputs[..i].iter().any(is_same) {
                let name = one.name.display();
                return Err(Failure::Usage(format!("{name} is named for two outputs: give each a file of its own")));
            }
        }
        Ok(())
    }

    /// Whether this replaces the file that `name` leads to.
    pub(crate) fn replaces(&self, name: &Path) -> bool {
        matches!(&self.target, Target::File { path, .. } if name.canonicalize().is_ok_and(|name| name == *path))
    }

    /// As messages name it.
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    pub(crate) fn part(&self) -> Part {
        self.part
    }

    /// Takes room for all `bytes`, and writes the first of them, unless the first rank does.
    pub(crate) fn begin(&self, head: &[u8], bytes: u64) -> Result<()> {
        if matches!(self.target, Target::Shared { .. }) {
            return Ok(());
        }
        self.reserve(bytes)?;
        self.write_at(head, 0)
    }

    /// Makes sure that there is room for `bytes`.
    pub(crate) fn reserve(&self, needed: u64) -> Result<()> {
        let path = || self.name.clone();
        space::reserve(self.file(), needed).map_err(|lack| match (lack, &self.target) {
            (Lack::Free(free), Target::File { .. } | Target::Shared { .. }) => {
                Failure::Space { path: path(), needed, free }
            }
            (Lack::Free(free), Target::Stream { .. }) => Failure::SpoolSpace { path: path(), needed, free },
            (Lack::Limit(limit), _) => Failure::SizeLimit { path: path(), needed, limit },
            (Lack::Other(e), _) => self.failure(e),
        })
    }

    /// Writes a range, from any thread.
    pub(crate) fn write_at(&self, from: &[u8], offset: u64) -> Result<()> {
        write_all_at(self.file(), from, offset).map_err(|e| self.failure(e))
    }

    /// Reads what was written.
    pub(crate) fn read_at(&self, to: &mut [u8], offset: u64) -> Result<()> {
        read_exact_at(self.file(), to, offset).map_err(|e| self.failure(e))
    }

    /// Fills the file from its start.
    pub(crate) fn write(&self, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let mut buffered = BufWriter::new(self.file());
        fill(&mut buffered).and_then(|()| buffered.flush()).map_err(|e| self.failure(e))
    }

    /// Does what can fail before anything is replaced: a file is on the disk then, a stream has been written.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let settled = match &mut self.target {
            Target::File { temporary, .. } => temporary.as_file().sync_all(),
            Target::Shared { file } => file.sync_all(),
            Target::Stream { spool, to, .. } => spool.metadata().and_then(|found| copy_out(spool, found.len(), to)),
        };
        settled.map_err(|e| Failure::write(&self.name, e))
    }

    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.target, Target::Stream { .. })
    }

    /// Its name, the temporary file and the path that is to be its own; nothing of what is not to be moved here.
    pub(crate) fn into_file(self) -> Option<(PathBuf, NamedTempFile, PathBuf)> {
        match self.target {
            Target::File { temporary, path } => Some((self.name, temporary, path)),
            Target::Shared { .. } | Target::Stream { .. } => None,
        }
    }

    /// An error of the file that is filled.
    pub(crate) fn failure(&self, e: io::Error) -> Failure {
        match self.target {
            Target::File { .. } | Target::Shared { .. } => Failure::write(&self.name, e),
            Target::Stream { .. } => Failure::spool(&self.name, e),
        }
    }

    fn file(&self) -> &File {
        match &self.target {
            Target::File { temporary, .. } => temporary.as_file(),
            Target::Shared { file } => file,
            Target::Stream { spool, .. } => spool,
        }
    }

    /// Where the others find the file.
    fn temporary(&self) -> &Path {
        match &self.target {
            Target::File { temporary, .. } => temporary.path(),
            Target::Shared { .. } | Target::Stream { .. } => Path::new(""),
        }
    }
}

/// A path as the first rank has told it.
fn path_of(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    return <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into();
    #[cfg(not(unix))]
    return String::from_utf8_lossy(&bytes).into_owned().into();
}

/// Whether a name means standard output.
pub(crate) fn is_stdout(name: &Path) -> bool {
    name == Path::new("-")
}
