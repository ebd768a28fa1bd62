//! `warplu man`.

use std::fs;
use std::path::PathBuf;

use crate::common::{Outcome, count, say};
use crate::failure::{Failure, Result};

/// Write the manual: a page for the program, one for each command
#[derive(clap::Args, Debug)]
#[command(after_help = "For one user:
  warplu man ~/.local/share/man/man1
  man warplu-solve")]
pub(crate) struct Args {
    /// The folder for the pages, which is made if there is none: warplu.1, warplu-inv.1 and so on
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args, command: clap::Command) -> Result<Outcome> {
    let fault = |source| Failure::write(&args.folder, source);
    fs::create_dir_all(&args.folder).map_err(fault)?;
    let pages = 1 + command.get_subcommands().count();
    clap_mangen::generate_to(command.disable_help_subcommand(true), &args.folder).map_err(fault)?;
    say(format_args!("{}: {}", args.folder.display(), count(pages, "page")));
    Ok(Outcome::Done)
}
