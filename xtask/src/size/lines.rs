//! Lines of Rust, of each room and of each module of the library.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::Number;
use crate::error::Error;
use crate::process;

/// Where the modules of the library are.
const LIBRARY: &str = "host/src/";

/// A file of Rust.
pub(super) struct Source {
    /// From the root of the workspace, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    /// Reads all that git tracks, but for what is deleted and not committed yet.
    pub(super) fn read_all() -> Result<Vec<Self>, Error> {
        let mut git = Command::new("git");
        let list = process::output(git.current_dir(process::root()).args(["ls-files", "-z", "--", "*.rs"]))?;
        let files = list.split('\0').map(|path| (path, process::root().join(path)));
        let files = files.filter(|(_, file)| file.is_file());
        let read = |(path, file): (&str, PathBuf)| {
            let text = fs::read_to_string(&file).map_err(Error::io(&file))?;
            Ok(Self { path: path.to_owned(), text })
        };
        files.map(read).collect()
    }

    /// Names the folder of the root that it is in.
    fn room(&self) -> Option<&str> {
        Some(self.path.split_once('/').map_or(".", |(room, _)| room))
    }

    /// Names the folder of the library that it is in, if it is of the library.
    fn module(&self) -> Option<&str> {
        let path = self.path.strip_prefix(LIBRARY)?;
        Some(path.split_once('/').map_or(".", |(module, _)| module))
    }
}

/// Adds up lines of files by what `key` says, leaving out files of which it says nothing.
fn sum<'a>(sources: &'a [Source], key: impl Fn(&'a Source) -> Option<&'a str>) -> BTreeMap<&'a str, u64> {
    let mut sums = BTreeMap::new();
    for (source, key) in sources.iter().filter_map(|source| Some((source, key(source)?))) {
        *sums.entry(key).or_default() += source.text.lines().count() as u64;
    }
    sums
}

/// Counts lines of each room and of all.
pub(super) fn numbers(sources: &[Source]) -> Vec<Number> {
    let rooms = sum(sources, Source::room);
    let all = Number::new("lines of all rooms", rooms.values().sum());
    let rooms = rooms.into_iter().map(|(room, lines)| Number::new(format!("lines of {room}"), lines));
    rooms.chain([all]).collect()
}

/// Lists the modules of the library with their lines, the largest first. These have no limits: code may move.
pub(super) fn modules(sources: &[Source]) -> String {
    let mut modules: Vec<_> = sum(sources, Source::module).into_iter().collect();
    modules.sort_by_key(|&(_, lines)| std::cmp::Reverse(lines));
    modules.into_iter().fold(String::new(), |mut text, (module, lines)| {
        let _ = writeln!(text, "{:32} {lines:>10}", format!("{LIBRARY}{module}"));
        text
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Makes up a file of Rust.
    pub(in crate::size) fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn lines_are_counted_by_room_and_by_module() {
        let sources = [
            source("host/src/ops/lu.rs", "a\n\nb\n"),
            source("host/src/ops/ragged/lu.rs", "a"),
            source("host/src/lib.rs", "a\nb"),
            source("host/tests/lu.rs", "a\n"),
            source("xtask/src/main.rs", ""),
            source("build.rs", "a\n"),
        ];
        let numbers: Vec<_> = numbers(&sources).into_iter().map(|number| (number.name, number.value)).collect();
        let expected = [("lines of .", 1), ("lines of host", 7), ("lines of xtask", 0), ("lines of all rooms", 8)];
        assert_eq!(numbers, expected.map(|(name, value)| (name.to_owned(), value)));
        let modules = modules(&sources);
        let words: Vec<_> = modules.split_whitespace().collect();
        assert_eq!(words, ["host/src/ops", "4", "host/src/.", "2"]);
    }

    #[test]
    fn sources_are_those_of_git() {
        let sources = Source::read_all().unwrap();
        let this = sources.iter().find(|source| source.path == "xtask/src/size/lines.rs");
        assert!(this.is_some_and(|source| source.text == include_str!("lines.rs")));
        assert!(sources.iter().all(|source| source.path.ends_with(".rs") && !source.path.starts_with("target/")));
    }
}
