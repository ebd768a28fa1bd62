//! `cargo xtask tutorial`: follows the readme of `warplu-simt-build` in an empty folder, as a reader would.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::error::{Error, List};
use crate::process;

/// The page.
pub(crate) const PAGE: &str = "simt-build/README.md";

/// What the page's programs depend on, and where it is: they name versions that may not be published yet.
const PATCHES: [(&str, &str); 6] = [
    ("kernels-cpu", "kernels-cpu"),
    ("kernels-gpu", "kernels-gpu"),
    ("warplu", "host"),
    ("warplu-numbers", "numbers"),
    ("warplu-simt", "simt"),
    ("warplu-simt-build", "simt-build"),
];

/// What the page has a reader do.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Write a file.
    Write { file: String, text: String },
    /// Run commands, which print these lines among others.
    Run { commands: String, expected: Vec<String> },
}

pub(crate) fn run() -> Result<(), Error> {
    let page = process::root().join(PAGE);
    let steps = steps(&fs::read_to_string(&page).map_err(Error::io(&page))?)?;
    let folder = tempfile::tempdir().map_err(Error::io(&std::env::temp_dir()))?;
    prepare(folder.path())?;
    for step in &steps {
        match step {
            Step::Write { file, text } => write(&folder.path().join(file), text)?,
            // CI has installed what it needs, as whoever runs this.
            Step::Run { commands, .. } if commands.starts_with("rustup ") => {}
            Step::Run { commands, expected } => follow(folder.path(), commands, expected)?,
        }
    }
    Ok(())
}

/// Stands in for crates.io: the crates of this repository, and the versions of others that it was tested with.
fn prepare(folder: &Path) -> Result<(), Error> {
    let patches = PATCHES.map(|(name, path)| format!("{name} = {{ path = {:?} }}\n", process::root().join(path)));
    let config = format!("[patch.crates-io]\n{}", patches.concat());
    write(&folder.join(".cargo/config.toml"), &config)?;
    let lock = process::root().join("Cargo.lock");
    write(&folder.join("Cargo.lock"), &fs::read_to_string(&lock).map_err(Error::io(&lock))?)
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    file.parent().map_or(Ok(()), fs::create_dir_all).map_err(Error::io(file))?;
    fs::write(file, text).map_err(Error::io(file))
}

/// Runs commands in the folder, and compares what they print.
fn follow(folder: &Path, commands: &str, expected: &[String]) -> Result<(), Error> {
    say!("{}", commands.trim_end());
    let mut shell = Command::new("bash");
    process::outside(&mut shell).args(["-e", "-c", commands]).current_dir(folder);
    let output = shell.output().map_err(|source| Error::Spawn { command: "bash".to_owned(), source })?;
    let Output { status, stdout, stderr } = output;
    let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    // A reader is told where a command is to fail.
    let fails = expected.iter().any(|line| line.contains("FAILED"));
    if status.success() == fails {
        return Err(Error::Command { command: commands.trim_end().to_owned(), status, output: said });
    }
    let missing = expected.iter().filter(|expected| !said.lines().any(|line| shows(line, expected)));
    List(missing.cloned().collect()).none_or(|missing| Error::Tutorial { missing, said })
}

/// Whether a line has what another shows, in which `…` stands for anything.
fn shows(line: &str, shown: &str) -> bool {
    let mut rest = line;
    shown.split('…').all(|part| {
        rest.split_once(part).is_some_and(|(_, behind)| {
            rest = behind;
            true
        })
    })
}

/// The steps of a page: a block of code is a file where a line above it names one and nothing else, in backquotes;
/// blocks of `sh` are run; one of `text` behind these is what they print.
fn steps(page: &str) -> Result<Vec<Step>, Error> {
    let (mut steps, mut above, mut lines) = (Vec::new(), "", page.lines());
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            above = if line.is_empty() { above } else { line };
            continue;
        };
        let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = block.iter().map(|line| format!("{line}\n")).collect();
        let file = above.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        match (language, file, steps.last_mut()) {
            ("sh", _, _) => steps.push(Step::Run { commands: text, expected: Vec::new() }),
            ("text", None, Some(Step::Run { expected, .. })) => expected.extend(block.into_iter().map(str::to_owned)),
            (_, Some(file), _) => steps.push(Step::Write { file: file.to_owned(), text }),
            _ => return Err(Error::Syntax(format!("a block of {language:?} that belongs to no file: {text}"))),
        }
        above = "";
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_page() {
        let page = "# Page\n\nFirst:\n\n```sh\nmkdir a\ncd a\n```\n\n`a/b.rs`\n\n```rust\nfn main() {}\n```\n\n\
                    Then `x`.\n\n```sh\ncargo run\n```\n\nIt prints\n\n```text\n3 of …\n```\n";
        let run = |commands: &str, expected: &[&str]| Step::Run {
            commands: commands.to_owned(),
            expected: expected.iter().map(|&line| line.to_owned()).collect(),
        };
        let write = Step::Write { file: "a/b.rs".to_owned(), text: "fn main() {}\n".to_owned() };
        assert_eq!(steps(page).unwrap(), [run("mkdir a\ncd a\n", &[]), write, run("cargo run\n", &["3 of …"])]);
        assert!(steps("```rust\nlost\n```\n").is_err());
    }

    #[test]
    fn what_is_printed_is_compared_but_for_ellipses() {
        assert!(shows("error: race in kernel k, block 0 at lib.rs:7: x", "race in kernel k, … at lib.rs:…"));
        assert!(!shows("at lib.rs:7, race in kernel k", "race in kernel k … lib.rs"));
    }

    #[test]
    fn the_readme_can_be_followed() {
        let page = fs::read_to_string(process::root().join(PAGE)).unwrap();
        let steps = steps(&page).unwrap();
        let names = steps.iter().filter_map(|step| match step {
            Step::Write { file, .. } => Some(file.as_str()),
            Step::Run { .. } => None,
        });
        assert!(names.clone().any(|name| name == "build.rs") && names.clone().any(|name| name == "src/main.rs"));
        assert!(page.contains(&format!("rustup toolchain install {}", simt_build::TOOLCHAIN)));
    }
}
