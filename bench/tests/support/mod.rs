//! Runs of the program.

use std::process::{Command, Stdio};

use tempfile::TempDir;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Fails with `code`, and says each of `words` in one line on stderr.
    #[track_caller]
    pub(crate) fn expect_failure(self, code: i32, words: &[&str]) {
        let run = self.expect(code);
        assert!(run.stderr.starts_with("warplu-bench: ") && run.stderr.lines().count() == 1, "{run:?}");
        for word in words {
            assert!(run.stderr.contains(word), "no {word:?} in {run:?}");
        }
    }
}

/// An empty directory to run in.
#[derive(Debug)]
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// Runs the program with arguments that are separated by spaces.
    pub(crate) fn run(&self, args: &str) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplu-bench"));
        let command = command.args(args.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        Run {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The names of all files.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
