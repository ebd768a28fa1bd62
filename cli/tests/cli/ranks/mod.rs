//! Several processes under `mpirun`: the outputs are those of one, and what fails on one of them fails on all.

mod ends;
mod failures;
mod outputs;

use std::process::{Command, Stdio};

use crate::support::{Place, Run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_warplu");

/// `mpirun` of Open MPI, which is to start more ranks than there are cores, and never waits for long.
fn mpirun(place: &Place) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--timeout", "120"]).current_dir(place.path(""));
    // In containers, processes may not copy each other's memory.
    command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none").env("RAYON_NUM_THREADS", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program on several ranks, with arguments that are separated by spaces.
fn run(place: &Place, ranks: usize, args: &str) -> Run {
    let mut command = mpirun(place);
    command.args(["-n", &ranks.to_string(), PROGRAM]).args(args.split_whitespace());
    command.output().unwrap().into()
}

/// Runs the program on two ranks, of which the second is in the folder `other`.
fn run_elsewhere(place: &Place, args: &str, other_args: &str) -> Run {
    let mut command = mpirun(place);
    command.args(["-n", "1", PROGRAM]).args(args.split_whitespace());
    command.args([":", "-n", "1", "sh", "-c", "cd other && exec \"$0\" \"$@\"", PROGRAM]);
    command.args(other_args.split_whitespace()).output().unwrap().into()
}

/// What the program has said, without what `mpirun` adds.
fn said(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|line| line.starts_with("warplu: ")).collect()
}

/// Fails with `code`, and says each of `words` in the one line of the program.
#[track_caller]
fn expect_failure(run: Run, code: i32, words: &[&str]) {
    let run = run.expect(code);
    let said = said(&run);
    assert_eq!(said.len(), 1, "{run:?}");
    for word in words {
        assert!(said[0].contains(word), "no {word:?} in {run:?}");
    }
}
