//! `cargo xtask ci`: every check that a change must pass.

use std::time::Instant;
use std::{panic, thread};

use crate::error::Error;
use crate::{dependent, kernels, process};

/// Runs cargo, with one more variable in its environment where a step needs it.
fn cargo(args: &[&str], env: Option<(&str, &str)>) -> Result<(), Error> {
    process::run(process::cargo().args(args).envs(env))
}

/// Stops at the first step that fails, once the kernels are compiled.
pub(crate) fn run() -> Result<(), Error> {
    step("format", || cargo(&["fmt", "--all", "--check"], None))?;
    step("clippy", || {
        cargo(&["clippy", "--release", "--workspace", "--all-targets", "--", "--deny", "warnings"], None)
    })?;
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
    // The workspace has nalgebra.
    step("clippy with the command line only", || {
        cargo(&["clippy", "--release", "--package", "warplu", "--features", "cli", "--", "--deny", "warnings"], None)
    })?;
    // Where kernels have changed, to compile them takes as long as to test them, and each mostly one core.
    thread::scope(|scope| {
        let kernels = scope.spawn(|| {
            // Into a target folder of its own, so that neither waits for the other.
            let dependent = step("dependent", dependent::run);
            step("kernels --check", || kernels::run(&kernels::Args::check())).and(dependent)
        });
        let rest = step("test", || cargo(&["test", "--workspace", "--release"], None)).and_then(|()| {
            // In the profile for which clippy has checked what it depends on.
            let deny = Some(("RUSTDOCFLAGS", "-D warnings"));
            step("doc", || cargo(&["doc", "--release", "--workspace", "--no-deps"], deny))
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
