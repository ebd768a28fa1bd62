//! `warplu completions`.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use clap_complete::Shell;

use crate::common::Outcome;
use crate::failure::{Failure, Result};

/// Print what completes commands, options and file names in a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "Bash, for one user:
  warplu completions bash > ~/.local/share/bash-completion/completions/warplu
Zsh, in a folder of $fpath:
  warplu completions zsh > ~/.zfunc/_warplu
Fish:
  warplu completions fish > ~/.config/fish/completions/warplu.fish")]
pub(crate) struct Args {
    shell: Shell,
}

pub(crate) fn run(args: &Args, mut command: clap::Command) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "warplu", &mut script);
    match io::stdout().write_all(&script) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure::write(Path::new("stdout"), e)),
        _ => Ok(Outcome::Done),
    }
}
