//! A program that depends on warplu: with the feature `cuda` it must build without a toolkit and without settings,
//! start without a driver, and leave the driver's symbols to others.

use std::fs;
use std::process::Command;

use crate::error::{Error, List};
use crate::process;

const MAIN: &str = r#"fn main() {
    match warplu::Device::cuda(0) {
        Ok(device) => println!("{}", device.info()),
        Err(error) => println!("{error}"),
    }
}
"#;

/// The manifest of a program like others', that is of no workspace.
fn manifest() -> String {
    let warplu = process::root().join("host");
    format!(
        "[package]\nname = \"dependent\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         warplu = {{ path = {warplu:?}, features = [\"cuda\"] }}\n\n[workspace]\n"
    )
}

/// Builds and runs it in a folder that no cargo configuration of this repository reaches.
pub(crate) fn run() -> Result<(), Error> {
    let folder = tempfile::tempdir().map_err(Error::io(&std::env::temp_dir()))?;
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).map_err(Error::io(&path))
    };
    let lock = process::root().join("Cargo.lock");
    // The versions that the rest was tested with.
    write("Cargo.lock", &fs::read(&lock).map_err(Error::io(&lock))?)?;
    write("Cargo.toml", manifest().as_bytes())?;
    let source = folder.path().join("src");
    fs::create_dir(&source).map_err(Error::io(&source))?;
    write("src/main.rs", MAIN.as_bytes())?;

    let cargo = || {
        let mut cargo = process::cargo();
        process::outside(&mut cargo).current_dir(folder.path());
        cargo
    };
    process::output(cargo().args(["build", "--quiet"]))?;
    let program = process::target().join("outside/debug/dependent");
    let said = process::output(&mut Command::new(&program))?;
    say!("{}", said.trim_end());

    let tree = process::output(cargo().args(["tree", "--prefix", "none", "--edges", "normal,build"]))?;
    let cust = tree.lines().filter(|line| line.starts_with("cust")).map(|line| format!("depends on {line}"));
    let symbols = process::output(Command::new("nm").arg("--dynamic").arg(&program))?;
    let symbols = symbols.lines().filter_map(driver_symbol).map(|name| format!("has the symbol {name}"));
    List(cust.chain(symbols).collect()).none_or(Error::Dependent)
}

/// The symbol of a line of `nm`, if it is one of the driver's.
fn driver_symbol(line: &str) -> Option<&str> {
    let name = line.split_whitespace().last()?;
    let rest = name.strip_prefix("cu")?;
    rest.starts_with(|first: char| first.is_ascii_uppercase()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_the_driver_are_told_from_others() {
        assert_eq!(driver_symbol("0000000000012340 T cuInit"), Some("cuInit"));
        assert_eq!(driver_symbol("                 U cuMemAlloc_v2"), Some("cuMemAlloc_v2"));
        assert_eq!(driver_symbol("                 U current_exe@GLIBC_2.2.5"), None);
        assert_eq!(driver_symbol(""), None);
    }
}
