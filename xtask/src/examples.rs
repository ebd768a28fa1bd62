//! The programs of `examples/` that are workspaces of their own, as programs outside this repository are.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::{process, toolkit};

/// The one that is built with headers of CUDA.
const WITH_HEADERS: &str = "cuda-core";

/// Tests and runs each of them. Without a GPU they work on the CPU, or say that there is nothing to show.
pub(crate) fn run() -> Result<(), Error> {
    for program in programs(&process::root().join("examples"))? {
        say!("{}", program.display());
        let headers = if program.ends_with(WITH_HEADERS) { toolkit::headers()? } else { None };
        // What they print is shown where they fail: other checks may run at the same time.
        let cargo = |args: &[&str]| {
            let mut cargo = process::cargo();
            cargo.envs(headers.iter().map(|folder| (toolkit::VARIABLE, folder)));
            let output = process::output(process::outside(&mut cargo).args(args).current_dir(&program));
            output.map_err(toolkit::explain)
        };
        cargo(&["fmt", "--all", "--check"])?;
        cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"])?;
        cargo(&["test", "--quiet", "--workspace"])?;
        say!("{}", cargo(&["run", "--quiet"])?.trim_end());
    }
    Ok(())
}

/// The packages right in a folder that are the roots of workspaces.
fn programs(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut programs = packages(folder)?;
    programs.retain(|path| {
        let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line.trim() == "[workspace]")
    });
    Ok(programs)
}

/// The packages right in a folder.
fn packages(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(Error::io(folder))?;
    let mut packages: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    packages.retain(|path| path.join("Cargo.toml").exists());
    packages.sort();
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tutorial;

    /// That of the tutorial, too: see [`process::outside`].
    #[test]
    fn packages_have_different_names() {
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        let mut manifests = vec![read(&process::root().join(tutorial::PAGE))];
        for program in programs(&process::root().join("examples")).unwrap() {
            manifests.push(read(&program.join("Cargo.toml")));
            manifests.extend(packages(&program).unwrap().iter().map(|package| read(&package.join("Cargo.toml"))));
        }
        let lines = manifests.iter().flat_map(|manifest| manifest.lines());
        let mut names: Vec<_> = lines.filter(|line| line.starts_with("name = ")).collect();
        names.sort_unstable();
        assert!(names.len() >= 6 && names.is_sorted_by(|a, b| a < b), "{names:?}");
    }

    #[test]
    fn programs_are_workspaces_of_their_own() {
        let programs = programs(&process::root().join("examples")).unwrap();
        let names: Vec<_> = programs.iter().map(|program| program.file_name().unwrap()).collect();
        assert_eq!(names, [WITH_HEADERS, "cudarc", "user-kernel"]);
    }
}
