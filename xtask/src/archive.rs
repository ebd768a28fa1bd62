//! Archives of PTX modules: the same modules give the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};

use crate::error::Error;

/// The PTX of an archive's entry points, by name.
pub(crate) type Modules = BTreeMap<String, String>;

/// The modules of all archives, by the path of the archive: `sm_90/lu.tar.gz`.
pub(crate) type Archives = BTreeMap<String, Modules>;

/// A `.tar.gz` of modules.
pub(crate) fn pack(modules: &Modules) -> io::Result<Vec<u8>> {
    // No time, and an unknown system: the defaults would depend on the machine.
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let mut tar = tar::Builder::new(gzip);
    for (name, ptx) in modules {
        let mut header = tar::Header::new_ustar();
        header.set_size(ptx.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        tar.append_data(&mut header, format!("{name}.ptx"), ptx.as_bytes())?;
    }
    tar.into_inner()?.finish()
}

/// The modules in a `.tar.gz`.
pub(crate) fn unpack(bytes: &[u8]) -> io::Result<Modules> {
    let mut modules = Modules::new();
    for file in tar::Archive::new(GzDecoder::new(bytes)).entries()? {
        let mut file = file?;
        let name = file.path()?.with_extension("").to_string_lossy().into_owned();
        let mut ptx = String::new();
        file.read_to_string(&mut ptx)?;
        modules.insert(name, ptx);
    }
    Ok(modules)
}

/// Reads all archives below a folder.
pub(crate) fn read(folder: &Path) -> Result<Archives, Error> {
    let mut archives = Archives::new();
    for name in list(folder)? {
        let file = folder.join(&name);
        let bytes = fs::read(&file).map_err(Error::io(&file))?;
        // Of a damaged archive all modules are missing.
        archives.insert(name, unpack(&bytes).unwrap_or_default());
    }
    Ok(archives)
}

/// Makes a folder hold these archives and no others. Returns their size. A file that would not change is not touched, so
/// that cargo need not rebuild what embeds it.
pub(crate) fn write(folder: &Path, archives: &Archives) -> Result<usize, Error> {
    let mut size = 0;
    for (name, modules) in archives {
        let file = folder.join(name);
        let bytes = pack(modules).map_err(Error::io(&file))?;
        size += bytes.len();
        if fs::read(&file).is_ok_and(|old| old == bytes) {
            continue;
        }
        file.parent().map_or(Ok(()), fs::create_dir_all).map_err(Error::io(&file))?;
        fs::write(&file, bytes).map_err(Error::io(&file))?;
    }
    for name in list(folder)?.into_iter().filter(|name| !archives.contains_key(name)) {
        let file = folder.join(name);
        fs::remove_file(&file).map_err(Error::io(&file))?;
    }
    Ok(size)
}

/// The files one level below a folder, as `sm_90/lu.tar.gz`; none where there is no such folder.
fn list(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    if !folder.exists() {
        return Ok(names);
    }
    for parent in children(folder)? {
        for name in children(&folder.join(&parent))? {
            names.push(format!("{parent}/{name}"));
        }
    }
    Ok(names)
}

fn children(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(Error::io(folder))?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules() -> Modules {
        [("b", "second"), ("a", "first")].map(|(name, ptx)| (name.to_owned(), ptx.to_owned())).into()
    }

    #[test]
    fn archives_are_deterministic() {
        let bytes = pack(&modules()).unwrap();
        assert_eq!(bytes, pack(&modules()).unwrap());
        // Of the gzip header: no flags, no time, best compression, unknown system.
        assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
        assert_eq!(unpack(&bytes).unwrap(), modules());

        let mut tar = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut tar).unwrap();
        let mut archive = tar::Archive::new(&tar[..]);
        let headers: Vec<_> = archive.entries().unwrap().map(|entry| entry.unwrap().header().clone()).collect();
        let names: Vec<_> = headers.iter().map(|header| header.path().unwrap().into_owned()).collect();
        assert_eq!(names, ["a.ptx", "b.ptx"].map(Path::new));
        for header in headers {
            let owner = (header.uid().unwrap(), header.gid().unwrap());
            assert_eq!((header.mtime().unwrap(), owner, header.mode().unwrap()), (0, (0, 0), 0o644));
        }
    }

    #[test]
    fn damaged_archives_are_errors() {
        assert!(unpack(b"no gzip").is_err());
    }
}
