//! The compiler: where it is, and how it is called.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::TOOLCHAIN;
use crate::error::Error;
use crate::manifest;

/// What cargo tells a build script of the compiler of the program, which is not that of the kernels.
const OF_THE_PROGRAM: [&str; 5] =
    ["RUSTC", "RUSTDOC", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC", "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER"];

/// A toolchain that rustup has, for the kernels in a folder.
pub(crate) struct Toolchain {
    channel: String,
    folder: PathBuf,
}

impl Toolchain {
    /// The one that the folder pins, or else [`TOOLCHAIN`]; checks that rustup has it and the source of `core`.
    pub(crate) fn find(folder: &Path) -> Result<Self, Error> {
        let file = folder.join("rust-toolchain.toml");
        let channel = match file.exists() {
            true => pinned(&file, &fs::read_to_string(&file).map_err(Error::io(&file))?)?,
            false => TOOLCHAIN.to_owned(),
        };
        let toolchain = Self { channel, folder: folder.to_path_buf() };
        let missing = |missing| Error::Toolchain { channel: toolchain.channel.clone(), missing };
        match output(toolchain.command("rustc").args(["--print", "sysroot"])) {
            Ok(sysroot) if Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/core").is_dir() => {
                Ok(toolchain)
            }
            Ok(_) => Err(missing("rust-src, the source of `core`, which it lacks")),
            Err(Error::Command { .. }) => Err(missing("rust-src, and it is not installed")),
            Err(error) => Err(error),
        }
    }

    /// A program of the toolchain, in the folder of the kernels. `rustup run` overrides the toolchain that runs this.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("rustup");
        command.args(["run", &self.channel, program]).current_dir(&self.folder);
        for name in OF_THE_PROGRAM {
            command.env_remove(name);
        }
        command
    }
}

/// The channel that a `rust-toolchain.toml` names.
fn pinned(file: &Path, text: &str) -> Result<String, Error> {
    let fault = |fault| Error::File { path: file.to_path_buf(), fault };
    let channel = manifest::value(text, "toolchain", "channel");
    let channel = channel.ok_or_else(|| fault("no `channel = \"...\"`: write one, or remove the file".to_owned()))?;
    if channel.starts_with("nightly") {
        return Ok(channel.to_owned());
    }
    Err(fault(format!("kernels need a nightly, not {channel}: write channel = {TOOLCHAIN:?}, or remove the file")))
}

/// Runs a command for its standard output and error, shown only when it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, Error> {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let output = command.output();
    let Output { status, stdout, stderr } = output.map_err(|source| Error::Spawn { command: line.clone(), source })?;
    let output = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    if status.success() {
        return Ok(output);
    }
    Err(Error::Command { command: line, status, output: format!("\n{output}\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nightlies_are_pinned() {
        let pinned = |text: &str| pinned(Path::new("kernels/rust-toolchain.toml"), text);
        assert_eq!(pinned("[toolchain]\nchannel = \"nightly-2030-01-02\"\n").unwrap(), "nightly-2030-01-02");
        let error = pinned("[toolchain]\nchannel = \"1.95.0\"\n").unwrap_err().to_string();
        assert!(error.starts_with("kernels/rust-toolchain.toml: ") && error.contains(TOOLCHAIN), "{error}");
        assert!(pinned("[toolchain]\n").unwrap_err().to_string().contains("channel"));
    }

    #[test]
    fn a_toolchain_that_is_not_there_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rust-toolchain.toml");
        fs::write(file, "[toolchain]\nchannel = \"nightly-1999-01-01\"\n").unwrap();
        let error = Toolchain::find(folder.path()).err().unwrap().to_string();
        let said = ["rustup toolchain install nightly-1999-01-01", "https://rustup.rs"];
        assert!(said.iter().any(|remedy| error.contains(remedy)), "{error}");
    }
}
