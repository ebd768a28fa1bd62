//! A build as users have it: how long it takes, and how large what comes of it is.

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use serde::Deserialize;

use super::{Number, code};
use crate::error::Error;
use crate::process;

/// The libraries that are measured where they are built, and what the limits of their machine code are called.
const LIBRARIES: [(&str, &str); 2] =
    [("warplu", "bytes of code, warplu"), ("kernels_cpu", "bytes of code, kernels-cpu")];

/// The same of the program: of its machine code, and of its file.
const PROGRAM: [&str; 2] = ["bytes of code, program", "bytes of the program"];

/// The names of all numbers that need a build.
pub(super) const NAMES: [&str; 4] = [LIBRARIES[0].1, LIBRARIES[1].1, PROGRAM[0], PROGRAM[1]];

/// What cargo says of a target that it has built or found fresh. Other messages have not all of this.
#[derive(Deserialize)]
struct Artifact {
    target: Target,
    filenames: Vec<PathBuf>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Artifact {
    /// Finds the archive of a library of this name.
    fn library(&self, name: &str) -> Option<&Path> {
        let is = self.target.name == name && self.target.kind.iter().any(|kind| kind == "lib" || kind == "rlib");
        self.filenames.iter().find(|file| is && file.extension() == Some("rlib".as_ref())).map(PathBuf::as_path)
    }

    /// Finds the program that users get.
    fn program(&self) -> Option<&Path> {
        let is = self.target.name == "warplu" && self.target.kind == ["bin"];
        self.executable.as_deref().filter(|_| is)
    }
}

/// Measures the machine code of what is built, and the program's size on disk. From nothing, says how long that took.
pub(super) fn numbers(from_nothing: bool) -> Result<Vec<Number>, Error> {
    let folder = tempfile::tempdir().map_err(Error::io(&env::temp_dir()))?;
    let target = if from_nothing { folder.path().to_path_buf() } else { process::target() };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let artifacts = artifacts(&build(&target)?);
    if from_nothing {
        let cpu =
            cpu_seconds().zip(cpu).map_or(String::new(), |(after, before)| format!(", {:.1} s of CPU", after - before));
        say!("built from nothing in {:.1} s{cpu}", start.elapsed().as_secs_f64());
    }
    measure(&artifacts)
}

/// Builds the default members, in the profile that users have, whatever is set for tests; returns cargo's messages.
fn build(target: &Path) -> Result<String, Error> {
    let mut cargo = process::cargo();
    cargo.args(["build", "--quiet", "--release", "--message-format=json"]).env("CARGO_TARGET_DIR", target);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PROFILE_")) {
        cargo.env_remove(name);
    }
    process::output(&mut cargo)
}

fn artifacts(messages: &str) -> Vec<Artifact> {
    messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Measures what there is of libraries and program. What is not built has no number: a limit for it is one of nothing.
fn measure(artifacts: &[Artifact]) -> Result<Vec<Number>, Error> {
    let mut numbers = Vec::new();
    for (library, name) in LIBRARIES {
        if let Some(file) = artifacts.iter().find_map(|artifact| artifact.library(library)) {
            numbers.push(Number::new(name, code::bytes(file)?));
        }
    }
    if let Some(file) = artifacts.iter().find_map(Artifact::program) {
        let size = fs::metadata(file).map_err(Error::io(file))?.len();
        numbers.extend([Number::new(PROGRAM[0], code::bytes(file)?), Number::new(PROGRAM[1], size)]);
    }
    Ok(numbers)
}

/// Asks what all programs that this has run, and waited for, took of processors.
#[cfg(unix)]
fn cpu_seconds() -> Option<f64> {
    let mut usage = std::mem::MaybeUninit::uninit();
    // SAFETY: the pointer is to memory for one `rusage`, which lives as long as the call.
    let status = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) };
    // SAFETY: a call that succeeds has written all of it.
    let usage = (status == 0).then(|| unsafe { usage.assume_init() })?;
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Some(seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

/// Says nothing: other systems have no such call.
#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_told_from_other_messages() {
        let message = |name: &str, kind: &str, file: &str, executable: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"target\":{{\"name\":\"{name}\",\"kind\":[\"{kind}\"]}},\
                 \"filenames\":[\"/t/{file}.rmeta\",\"/t/{file}\"],\"executable\":{executable}}}\n"
            )
        };
        let messages = message("warplu", "lib", "libwarplu.rlib", "null")
            + &message("kernels_cpu", "rlib", "libkernels_cpu.rlib", "null")
            + "{\"reason\":\"build-finished\",\"success\":true}\n    Finished\n"
            + &message("warplu", "bin", "warplu", "\"/t/warplu\"")
            + &message("warplu", "test", "other", "\"/t/other\"");
        let artifacts = artifacts(&messages);
        assert_eq!(artifacts.len(), 4);
        for (library, _) in LIBRARIES {
            let files: Vec<_> = artifacts.iter().filter_map(|artifact| artifact.library(library)).collect();
            assert_eq!(files, [Path::new(&format!("/t/lib{library}.rlib"))]);
        }
        assert_eq!(artifacts.iter().filter_map(Artifact::program).collect::<Vec<_>>(), [Path::new("/t/warplu")]);
    }

    /// What is in no artifact is not measured; what is, but not on disk, is a failure.
    #[test]
    fn what_is_not_built_has_no_number() {
        assert!(measure(&[]).unwrap().is_empty());
        let target = Target { name: "warplu".to_owned(), kind: vec!["bin".to_owned()] };
        let gone = Artifact { target, filenames: Vec::new(), executable: Some("/no/such/program".into()) };
        assert!(measure(&[gone]).unwrap_err().to_string().contains("/no/such/program"));
    }

    #[cfg(unix)]
    #[test]
    fn programs_that_ran_took_time() {
        let before = cpu_seconds().unwrap();
        process::output(
            std::process::Command::new("sh").args(["-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]),
        )
        .unwrap();
        assert!(cpu_seconds().unwrap() > before);
    }
}
