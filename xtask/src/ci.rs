//! `cargo xtask ci`: every check that a change must pass.

use std::time::Instant;

use crate::error::Error;
use crate::{kernels, process};

/// Runs cargo, with one more variable in its environment where a step needs it.
fn cargo(args: &[&str], env: Option<(&str, &str)>) -> Result<(), Error> {
    process::run(process::cargo().args(args).envs(env))
}

/// Stops at the first step that fails.
pub(crate) fn run() -> Result<(), Error> {
    type Step = fn() -> Result<(), Error>;
    let steps: [(&'static str, Step); 6] = [
        ("format", || cargo(&["fmt", "--all", "--check"], None)),
        ("clippy", || {
            cargo(&["clippy", "--release", "--workspace", "--all-targets", "--", "--deny", "warnings"], None)
        }),
        ("clippy without features", || {
            cargo(&["clippy", "--release", "--package", "warplu", "--", "--deny", "warnings"], None)
        }),
        ("kernels --check", || kernels::run(&kernels::Args::check())),
        ("test", || cargo(&["test", "--workspace", "--release"], None)),
        // In the profile for which clippy has checked what it depends on.
        ("doc", || cargo(&["doc", "--release", "--workspace", "--no-deps"], Some(("RUSTDOCFLAGS", "-D warnings")))),
    ];
    for (step, run) in steps {
        say!("== {step}");
        let start = Instant::now();
        run().map_err(|source| Error::Step { step, source: Box::new(source) })?;
        say!("== {step}: {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
