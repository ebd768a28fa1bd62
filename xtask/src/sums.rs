//! Checksums of the PTX modules and of all that they are compiled from, in the format of `sha256sum`. As long as they
//! hold, the modules need not be compiled again to know that they are up to date.
//!
//! Of `Cargo.lock` only the packages count that the kernels depend on: their line is no file's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::process;

/// The package of the kernels.
const PACKAGE: &str = "kernels-gpu";
/// Where they are.
const SUMS: &str = "kernels-gpu/ptx.sha256";

/// What the modules are compiled from: files and folders.
const SOURCES: [&str; 12] = [
    "kernels-gpu/Cargo.toml",
    "kernels-gpu/rust-toolchain.toml",
    "kernels-gpu/src",
    "numbers/Cargo.toml",
    "numbers/src",
    "papers/Cargo.toml",
    "papers/src/kernels",
    "papers/src/lib.rs",
    "simt/Cargo.toml",
    "simt/src",
    "simt-build/src",
    "xtask/src/kernels.rs",
];

/// The emulator is no part of the kernels, nor is what embeds them.
const EXCEPT: [&str; 2] = ["simt/src/cpu", "kernels-gpu/src/ptx"];

/// What is made of them.
const MODULES: [&str; 4] =
    ["kernels-gpu/ptx", "kernels-gpu/src/ptx/modules.rs", "papers/ptx", "papers/src/ptx/modules.rs"];

/// Those of the sources, to be taken before they are compiled: whoever edits them meanwhile must compile them again.
pub(crate) fn of_sources() -> Result<String, Error> {
    let lock = process::root().join("Cargo.lock");
    let text = fs::read_to_string(&lock).map_err(Error::io(&lock))?;
    Ok(format!("{}  Cargo.lock of {PACKAGE}\n", digest(locked(&text, PACKAGE).as_bytes())) + &sums(&SOURCES)?)
}

/// A package and those that it depends on, with their versions and checksums, as the lock file has them.
fn locked(lock: &str, package: &str) -> String {
    let blocks: Vec<_> = lock.split("\n\n").filter(|block| block.trim_start().starts_with("[[package]]")).collect();
    let name_of = |block: &str| block.lines().find_map(|line| line.strip_prefix("name = ")).map(str::to_owned);
    let mut wanted = vec![format!("\"{package}\"")];
    let mut at = 0;
    while let Some(name) = wanted.get(at).cloned() {
        for block in blocks.iter().filter(|block| name_of(block).as_ref() == Some(&name)) {
            let dependencies = block.lines().filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
            // Where there are several of a name, its version follows.
            let names = dependencies.filter_map(|dependency| dependency.split(' ').next());
            // With this, examples in documentation are tested: it is no part of the kernels.
            let names = names.filter(|&name| name != "warplu");
            let new: Vec<_> = names.map(|name| format!("\"{name}\"")).filter(|name| !wanted.contains(name)).collect();
            wanted.extend(new);
        }
        at += 1;
    }
    let is_wanted = |block: &&&str| name_of(block).is_some_and(|name| wanted.contains(&name));
    blocks.iter().filter(is_wanted).map(|block| format!("{}\n\n", block.trim())).collect()
}

/// Writes those of the sources, and of the modules as they are now.
pub(crate) fn write(sources: &str) -> Result<(), Error> {
    let file = process::root().join(SUMS);
    fs::write(&file, sources.to_owned() + &sums(&MODULES)?).map_err(Error::io(&file))
}

/// Whether they are those of the files as they are now.
pub(crate) fn hold() -> Result<bool, Error> {
    let now = of_sources()? + &sums(&MODULES)?;
    Ok(fs::read_to_string(process::root().join(SUMS)).is_ok_and(|then| then == now))
}

fn sums(names: &[&str]) -> Result<String, Error> {
    let root = process::root();
    let mut text = String::new();
    for name in names {
        for file in files(&root.join(name), &EXCEPT.map(|name| root.join(name)))? {
            let bytes = fs::read(&file).map_err(Error::io(&file))?;
            let name = file.strip_prefix(root).unwrap_or(&file).display();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}  {name}", digest(&bytes));
        }
    }
    Ok(text)
}

/// In hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of a folder and its folders, sorted, or the path itself if it is a file.
fn files(path: &Path, except: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    if except.iter().any(|except| except == path) {
        return Ok(Vec::new());
    }
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(Error::io(path))?;
    let mut children: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    children.sort();
    let files = children.iter().map(|child| files(child, except)).collect::<Result<Vec<_>, _>>()?;
    Ok(files.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_of_all_that_is_compiled() {
        let text = of_sources().unwrap() + &sums(&MODULES).unwrap();
        let names: Vec<_> = text.lines().map(|line| line.split_once("  ").unwrap().1).collect();
        for name in [
            "Cargo.lock of kernels-gpu",
            "kernels-gpu/src/table/schedules.rs",
            "numbers/src/scalar.rs",
            "kernels-gpu/ptx/sm_70/det_f32.br",
            "papers/ptx/sm_70/copy_f64.br",
            "simt/src/gpu/mod.rs",
        ] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(names.iter().all(|name| !name.starts_with("simt/src/cpu")));
    }

    #[test]
    fn only_what_kernels_depend_on_is_taken_from_the_lock_file() {
        let package = |name: &str, version: &str, dependencies: &[&str]| {
            let list: String = dependencies.iter().map(|name| format!(" \"{name}\",\n")).collect();
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = [\n{list}]\n\n")
        };
        let lock = |other: &str, deep: &str| {
            "version = 4\n\n".to_owned()
                + &package("deep", deep, &[])
                + &package("kernels-gpu", "1", &["near 2.0"])
                + &package("near", "2.0", &["deep"])
                + &package("other", other, &["deep"])
        };
        let taken = locked(&lock("1", "1"), "kernels-gpu");
        assert_eq!(taken.matches("[[package]]").count(), 3);
        assert_eq!(taken, locked(&lock("2", "1"), "kernels-gpu"));
        assert_ne!(taken, locked(&lock("1", "2"), "kernels-gpu"));
    }

    #[test]
    fn digests_are_those_of_sha256() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
