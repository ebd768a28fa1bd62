//! Compiles `kernels-gpu` to PTX.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::process;

/// Loops over register arrays must unroll whole or not at all: an index that stays dynamic puts the array into local
/// memory.
const UNROLL: [&str; 3] = [
    "-Cllvm-args=-unroll-threshold=200000",
    "-Cllvm-args=-unroll-runtime=false",
    "-Cllvm-args=-unroll-allow-partial=false",
];

/// The nightly that `kernels-gpu` pins.
pub(crate) struct Toolchain {
    channel: String,
    folder: PathBuf,
}

impl Toolchain {
    /// Reads the pin, and checks that rustup has the toolchain and the source of `core`.
    pub(crate) fn find() -> Result<Self, Error> {
        let folder = process::root().join("kernels-gpu");
        let file = folder.join("rust-toolchain.toml");
        let text = fs::read_to_string(&file).map_err(Error::io(&file))?;
        let channel = channel(&text).ok_or(Error::Channel(file))?.to_owned();
        let toolchain = Self { channel, folder };
        match process::output(toolchain.command("rustc").args(["--print", "sysroot"])) {
            Ok(sysroot) if Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/core").is_dir() => {
                Ok(toolchain)
            }
            Ok(_) | Err(Error::Command { .. }) => Err(Error::Toolchain { channel: toolchain.channel }),
            Err(error) => Err(error),
        }
    }

    /// A program of the toolchain, in the folder of the kernels. `rustup run` overrides the toolchain that runs this.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("rustup");
        command.args(["run", &self.channel, program]).current_dir(&self.folder);
        command
    }

    /// The PTX of all entry points for an architecture, where `only` says so without the bodies of those whose names
    /// begin otherwise. `target` is its own, for the file's name is the same for each.
    pub(crate) fn ptx(&self, sm: u32, target: &Path, only: Option<&str>) -> Result<String, Error> {
        let flags = [&[format!("-Ctarget-cpu=sm_{sm}")], &UNROLL.map(String::from)[..]].concat();
        let mut cargo = self.command("cargo");
        cargo.args(["rustc", "--locked", "--no-default-features", "--features", "papers", "--profile", "ptx"]);
        cargo.args(["--crate-type", "cdylib", "-Zbuild-std=core", "--target", "nvptx64-nvidia-cuda"]);
        cargo.arg("--target-dir").arg(target);
        // Only the assembly is of use, so nothing links it.
        cargo.args(["--", "--emit=asm", "-Clinker=true"]);
        // Goes before RUSTFLAGS and the flags of any configuration file.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        match only {
            Some(prefixes) => cargo.env("WARPLU_ONLY", prefixes),
            None => cargo.env_remove("WARPLU_ONLY"),
        };
        process::output(&mut cargo)?;
        let file = target.join("nvptx64-nvidia-cuda/ptx/deps/kernels_gpu.s");
        fs::read_to_string(&file).map_err(Error::io(&file))
    }
}

/// The channel in the text of a `rust-toolchain.toml`.
fn channel(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "channel").then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn channel_of_a_toolchain_file() {
        let text = "# A comment.\n[toolchain]\nchannel = \"nightly-2030-01-02\"\nprofile = \"minimal\"\n";
        assert_eq!(super::channel(text), Some("nightly-2030-01-02"));
        assert_eq!(super::channel("[toolchain]\n"), None);
    }
}
