//! The workspace and the programs that run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, iter, panic, thread};

use crate::error::Error;

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The folder for build products.
pub(crate) fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    // The kernels are built from another folder than the current one.
    std::path::absolute(&target).unwrap_or(target)
}

/// Has a command work on programs that are no part of the workspace, as outside this repository: without what its
/// configuration sets, and with build products in one folder of their own, for warplu is the same for all of them. Their
/// packages have different names: cargo takes two of one name, at one place in their workspaces, for the same.
pub(crate) fn outside(command: &mut Command) -> &mut Command {
    let target = target().join("outside");
    command.env("CARGO_TARGET_DIR", target).env("CARGO_PROFILE_DEV_DEBUG", "false").env_remove("CUDA_LIBRARY_PATH")
}

/// The cargo that runs this, in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Runs a command that talks to the user.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let status = command.status().map_err(|source| Error::Spawn { command: line(command), source })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Command { command: line(command), status, output: String::new() })
}

/// Runs a command for its standard output and error, shown only when it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, Error> {
    let Output { status, stdout, stderr } =
        command.output().map_err(|source| Error::Spawn { command: line(command), source })?;
    let output = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    if status.success() {
        return Ok(output);
    }
    Err(Error::Command { command: line(command), status, output: format!("\n{output}\n") })
}

/// A command as a user would type it.
fn line(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Maps a slice on all cores, for an output that is in the order of the inputs.
pub(crate) fn parallel<T, R>(inputs: &[T], map: impl Fn(&T) -> Result<R, Error> + Sync) -> Result<Vec<R>, Error>
where
    T: Sync,
    R: Send,
{
    let next = AtomicUsize::new(0);
    let take = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        Some((index, map(inputs.get(index)?)))
    };
    let mut outputs = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| iter::from_fn(take).collect::<Vec<_>>())).collect();
        let outputs = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|p| panic::resume_unwind(p)));
        outputs.flatten().collect::<Vec<_>>()
    });
    outputs.sort_by_key(|(index, _)| *index);
    outputs.into_iter().map(|(_, output)| output).collect()
}
