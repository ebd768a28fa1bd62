//! The programs of `examples/` that are workspaces of their own, as programs outside this repository are.

use std::fs;

use crate::error::Error;
use crate::process;

/// Tests and runs each of them. Without a GPU they work on the CPU, or say that there is nothing to show.
pub(crate) fn run() -> Result<(), Error> {
    let folder = process::root().join("examples");
    let entries = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(Error::io(&folder))?;
    let mut programs: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    programs.retain(|path| path.join("Cargo.toml").exists());
    programs.sort();
    for program in programs {
        say!("{}", program.display());
        let cargo = |args: &[&str]| {
            let mut cargo = process::cargo();
            process::run(process::outside(&mut cargo).args(args).current_dir(&program))
        };
        cargo(&["fmt", "--all", "--check"])?;
        cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"])?;
        cargo(&["test", "--quiet", "--workspace"])?;
        cargo(&["run", "--quiet"])?;
    }
    Ok(())
}
