//! Machine code of libraries and programs.

use std::path::Path;
use std::{fs, io};

use object::endian::Endianness;
use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, SectionKind};

use crate::error::Error;

/// Adds up the executable sections of an ELF file, or of the object files of an archive such as an rlib.
pub(super) fn bytes(file: &Path) -> Result<u64, Error> {
    let data = fs::read(file).map_err(Error::io(file))?;
    let is_archive = data.starts_with(&object::archive::MAGIC);
    let bytes = if is_archive { of_archive(&data) } else { of_object(&data) };
    bytes.map_err(io::Error::other).map_err(Error::io(file))
}

fn of_object(data: &[u8]) -> object::Result<u64> {
    let object = ElfFile64::<Endianness>::parse(data)?;
    let code = object.sections().filter(|section| section.kind() == SectionKind::Text);
    Ok(code.map(|section| section.size()).sum())
}

fn of_archive(data: &[u8]) -> object::Result<u64> {
    let mut bytes = 0;
    for member in ArchiveFile::parse(data)?.members() {
        let member = member?;
        // Beside the object files, an rlib has a description of the crate.
        if member.name().ends_with(b".o") {
            bytes += of_object(member.data(data)?)?;
        }
    }
    Ok(bytes)
}

#[cfg(all(test, target_os = "linux", target_pointer_width = "64"))]
mod tests {
    use std::env;
    use std::process::Command;

    use super::*;
    use crate::process;

    #[test]
    fn programs_and_libraries_have_code() {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let folder = process::output(Command::new(rustc).args(["--print", "target-libdir"])).unwrap();
        let libraries = fs::read_dir(folder.trim()).unwrap().map(|entry| entry.unwrap().path());
        let is_core =
            |path: &Path| path.to_string_lossy().contains("/libcore-") && path.extension() == Some("rlib".as_ref());
        let core = libraries.into_iter().find(|path| is_core(path)).unwrap();
        for file in [core, env::current_exe().unwrap()] {
            let (code, all) = (bytes(&file).unwrap(), fs::metadata(&file).unwrap().len());
            assert!(100_000 < code && code < all, "{}: {code} of {all}", file.display());
        }
    }

    #[test]
    fn what_has_no_code_is_named() {
        let file = process::root().join("Cargo.toml");
        assert!(bytes(&file).unwrap_err().to_string().contains("Cargo.toml"));
    }
}
