//! `cargo xtask bench`: the measuring program, built as users build it.

use std::ffi::OsString;

use crate::error::Error;
use crate::process;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Arguments of `warplu-bench`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

impl Args {
    /// With these arguments.
    pub(crate) fn of(args: Vec<OsString>) -> Self {
        Self { args }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let build = ["run", "--release", "--package", "warplu-bench", "--"];
    process::run(process::cargo().args(build).args(&args.args))
}
