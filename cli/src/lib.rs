//! The command line: batched LU, Cholesky factorization, solve, inversion and determinants of matrices in `.npy` files
//! and `.npz` archives. A program would not be compiled until the CPU's arithmetic is; a library is meanwhile.

mod archives;
mod bads;
mod chol;
mod commit;
mod common;
mod completions;
mod conditions;
mod det;
mod dtype;
mod error_bounds;
mod failure;
mod growth;
mod info;
mod input;
mod inv;
mod job;
mod known;
mod lu;
mod lu_solve;
mod man;
mod matrix;
mod memory;
mod npy;
mod npz;
mod opening;
mod output;
mod pivots;
mod place;
mod ranges;
mod ranks;
mod ratio;
mod refine;
mod report;
mod solve;
mod space;
mod subject;
mod temporary;
mod verify;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::common::{Outcome, all_said, tell};
use crate::failure::Result;

const AFTER_HELP: &str = "Files:
  Matrices are read and written chunk by chunk, so files may be larger than memory. `-` is standard input for one
  input, standard output for one output. What comes or goes through a pipe is kept in a temporary file in TMPDIR.
  Outputs are written as .warplu-* beside their places and moved there all together, when all are complete and on the
  disk. An error or an interrupt removes them; kill -9 or a crash leaves them, to be removed by hand.

  inv, solve, lu and det take .npz archives, too, by what is in the files: an array (n, n) for each matrix, of any
  orders and one type. What they write are archives with the same names. These are read and written in memory.

Several processes:
  Built with the feature mpi and started by mpirun or srun, each process (rank) works on a part of the batch, on the GPU
  of its number on its machine. All see the same files; pipes, devices and `-` are for one process.

Exit codes:
  0    done
  1    failed at run time: no such device, out of memory, an output that cannot be written
  2    wrong usage or input
  3    done, but some matrices are singular, not positive definite or not finite, or right-hand sides are not; they
       are named on stderr
  130  interrupted: none of the outputs is new, or all are";

#[derive(Parser)]
#[command(
    name = "warplu",
    version,
    about = "Batched LU, Cholesky factorization, solve, inversion and determinants of .npy and .npz files"
)]
#[command(after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Inv(inv::Args),
    Solve(solve::Args),
    Lu(lu::Args),
    LuSolve(lu_solve::Args),
    Chol(chol::Args),
    Det(det::Args),
    /// Show devices, driver and kernels
    Info,
    Verify(verify::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Does what the arguments say, and returns the exit code.
fn run() -> Result<u8> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    ranks::expect_same(&arguments.collect::<Vec<_>>().join(" "))?;
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(said) => {
            if ranks::is_first() {
                // Where nobody reads it, so be it.
                let _ = said.print();
            }
            return Ok(said.exit_code() as u8);
        }
    };
    let outcome = run_command(&command)?;
    all_said()?;
    Ok(match outcome {
        Outcome::Done => 0,
        Outcome::SomeBad => 3,
    })
}

fn run_command(command: &Command) -> Result<Outcome> {
    match command {
        Command::Inv(args) if npz::is_archive(&args.a) => archives::inv(args),
        Command::Inv(args) => inv::run(args),
        Command::Solve(args) if npz::is_archive(&args.a) => archives::solve(args),
        Command::Solve(args) => solve::run(args),
        Command::Lu(args) if npz::is_archive(&args.a) => archives::lu(args),
        Command::Lu(args) => lu::run(args),
        Command::LuSolve(args) => lu_solve::run(args),
        Command::Chol(args) => chol::run(args),
        Command::Det(args) if npz::is_archive(&args.a) => archives::det(args),
        Command::Det(args) => det::run(args),
        Command::Info => {
            ranks::expect_alone("info")?;
            info::run();
            Ok(Outcome::Done)
        }
        Command::Verify(args) => ranks::expect_alone("verify").and_then(|()| verify::run(args)),
        Command::Completions(args) => {
            ranks::expect_alone("completions").and_then(|()| completions::run(args, Cli::command()))
        }
        Command::Man(args) => ranks::expect_alone("man").and_then(|()| man::run(args, Cli::command())),
    }
}

/// The program: does what its arguments say, and returns the exit code.
pub fn main() -> ExitCode {
    temporary::remove_when_interrupted();
    // A panic is a defect, told as one; unwinding still removes temporary files.
    panic::set_hook(Box::new(|info| tell(format_args!("warplu: {info}\nwarplu: a defect: please report it"))));
    // Dropped at the end, whatever it is.
    let _joined = ranks::join();
    let code = match panic::catch_unwind(AssertUnwindSafe(|| ranks::end(run()))) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            if ranks::is_first() {
                tell(format_args!("warplu: {failure}"));
            }
            failure.exit_code()
        }
        Err(_) => {
            ranks::abort();
            1
        }
    };
    // The others have nothing to add: a launcher passes on what the first says.
    if ranks::is_first() { code.into() } else { ExitCode::SUCCESS }
}
