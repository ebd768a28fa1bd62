//! `cargo xtask platforms`: that the library compiles for machines other than this one.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::process;

/// Targets whose library needs no C compiler of theirs.
const TARGETS: [&str; 3] = ["aarch64-unknown-linux-gnu", "x86_64-pc-windows-gnu", "x86_64-pc-windows-msvc"];

/// The features of the library that no target lacks.
const FEATURES: &str = "cust,ndarray";

/// Lints the library for each target that is installed, and says which are not.
pub(crate) fn run() -> Result<(), Error> {
    for target in TARGETS {
        if !is_installed(target)? {
            say!("{target}: not checked; install it by `rustup target add {target}`");
            continue;
        }
        say!("{target}");
        let mut cargo = process::cargo();
        cargo.args(["clippy", "--release", "--package", "warplu", "--lib", "--features", FEATURES]);
        process::run(cargo.args(["--target", target, "--", "--deny", "warnings"]))?;
    }
    Ok(())
}

/// Whether there is a standard library for it.
fn is_installed(target: &str) -> Result<bool, Error> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut rustc = Command::new(rustc);
    let folder = process::output(rustc.args(["--print", "target-libdir", "--target", target]))?;
    Ok(Path::new(folder.trim()).is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where they are missing, CI would check nothing.
    #[test]
    fn ci_installs_the_targets() {
        let file = process::root().join(".ci/run");
        let text = std::fs::read_to_string(&file).unwrap();
        for target in TARGETS {
            assert!(text.contains(target), "{}: no {target}", file.display());
        }
    }
}
