//! `cargo xtask ci`: every check that a change must pass.

use std::process::Command;
use std::time::Instant;
use std::{iter, panic, thread};

use crate::error::Error;
use crate::{dependencies, dependent, examples, kernels, platforms, process, python, size, tutorial};

/// Runs cargo, with one more variable in its environment where a step needs it.
fn cargo(args: &[&str], env: Option<(&str, &str)>) -> Result<(), Error> {
    process::run(process::cargo().args(args).envs(env))
}

/// The same for the whole workspace with all that tests can be built with: examples' kernels, published algorithms, faer,
/// and where there is an MPI the feature `mpi`. All is compiled once; that builds with less compile, other steps show.
fn workspace<'a>(mpi: bool, args: &[&'a str], flags: &[&'a str], env: Option<(&str, &str)>) -> Result<(), Error> {
    let always = [
        "--workspace",
        "--features=warplu-examples/kernels,warplu-cli/papers,warplu-papers/emulator,warplu-papers/ptx,warplu-tests/faer",
    ];
    let features = always.into_iter().chain(iter::repeat_n("--features=warplu-cli/mpi", mpi.into()));
    cargo(&args.iter().copied().chain(features).chain(flags.iter().copied()).collect::<Vec<_>>(), env)
}

/// Whether there is an MPI to build and to test with.
fn has_mpi() -> bool {
    let answers = |program: &str| process::output(Command::new(program).arg("--version")).is_ok();
    let has = answers("mpicc") && answers("mpirun");
    if !has {
        say!("== no MPI: the feature `mpi` is left out (Debian: libopenmpi-dev, openmpi-bin and libclang-dev)");
    }
    has
}

/// Stops at the first step that fails, once the kernels are compiled.
pub(crate) fn run() -> Result<(), Error> {
    let mpi = has_mpi();
    step("format", || cargo(&["fmt", "--all", "--check"], None))?;
    step("dependencies", dependencies::run)?;
    step("clippy", || workspace(mpi, &["clippy", "--release"], &["--all-targets", "--", "--deny", "warnings"], None))?;
    step("clippy without features", || {
        cargo(&["clippy", "--release", "--package", "warplu", "--", "--deny", "warnings"], None)
    })?;
    step("clippy with GPUs only", || {
        cargo(&["clippy", "--release", "--package", "warplu", "--features", "cuda", "--", "--deny", "warnings"], None)
    })?;
    step("clippy with array crates only", || {
        let features = "faer,nalgebra,ndarray";
        cargo(&["clippy", "--release", "--package", "warplu", "--features", features, "--", "--deny", "warnings"], None)
    })?;
    step("clippy of the command line alone", || {
        cargo(&["clippy", "--release", "--package", "warplu-cli", "--", "--deny", "warnings"], None)
    })?;
    step("platforms", platforms::run)?;
    // Where kernels have changed, to compile them takes as long as to test them, and each mostly one core.
    thread::scope(|scope| {
        let kernels = scope.spawn(|| {
            // Into a target folder of its own, so that neither waits for the other.
            let dependent = step("dependent", dependent::run);
            let tutorial = step("tutorial", tutorial::run);
            let examples = step("examples", examples::run);
            let kernels = step("kernels --check", || kernels::run(&kernels::Args::check()));
            kernels.and(dependent).and(tutorial).and(examples)
        });
        // Every kernel at all of its limits.
        let all = Some(("WARPLU_TESTS", "all"));
        let rest = step("test", || workspace(mpi, &["test", "--release"], &[], all)).and_then(|()| {
            step("size", || size::run(&size::Args::ci()))?;
            step("python", || python::run(&python::Args::ci()))?;
            // In the profile for which clippy has checked what it depends on.
            let deny = Some(("RUSTDOCFLAGS", "-D warnings"));
            step("doc", || workspace(mpi, &["doc", "--release"], &["--no-deps"], deny))
        });
        let kernels = kernels.join().unwrap_or_else(|payload| panic::resume_unwind(payload));
        rest.and(kernels)
    })
}

/// Says what runs, and then how long it took.
fn step(step: &'static str, run: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    say!("== {step}");
    let start = Instant::now();
    let outcome = run();
    let (seconds, how) = (start.elapsed().as_secs_f64(), if outcome.is_ok() { "" } else { ", failed" });
    say!("== {step}: {seconds:.1} s{how}");
    outcome.map_err(|source| Error::Step { step, source: Box::new(source) })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// All steps run with the oldest Rust that the manifests promise, so none is needed to check that promise.
    #[test]
    fn the_toolchain_is_the_oldest_that_is_supported() {
        let read = |file: &str| {
            let text = fs::read_to_string(process::root().join(file)).unwrap();
            toml::from_str::<toml::Table>(&text).unwrap()
        };
        let (manifest, toolchain) = (read("Cargo.toml"), read("rust-toolchain.toml"));
        let oldest = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
        assert_eq!(toolchain["toolchain"]["channel"].as_str(), Some(format!("{oldest}.0").as_str()));
    }
}
