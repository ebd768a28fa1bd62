//! `cargo xtask python`: the Python package as a new user gets it, and its tests.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::process;

/// What the tests need beside what the package needs itself.
const TOOLS: [&str; 4] = ["pytest", "scipy", "array-api-strict", "ml_dtypes"];

#[derive(Default, clap::Args)]
pub(crate) struct Args {
    /// The Python that the package is for
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Build in cargo's profile `dev`, not `release`. Where that is not optimised, threads need RUST_MIN_STACK=67108864
    #[arg(long)]
    dev: bool,
    /// Install these for the tests, too, such as torch and jax
    #[arg(long, num_args = 1..)]
    with: Vec<String>,
    /// Arguments of pytest
    #[arg(last = true)]
    pytest: Vec<String>,
}

impl Args {
    /// As continuous integration has it.
    pub(crate) fn ci() -> Self {
        Self { python: "python3".into(), ..Self::default() }
    }
}

/// Makes a virtual environment, has pip build the package from its source and install it there, and runs the tests, in
/// a folder from which Python cannot find the package but where it is installed.
pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let folder = tempfile::tempdir().map_err(Error::io(&env::temp_dir()))?;
    let package = process::root().join("python");
    let environment = folder.path().join("environment");
    process::output(Command::new(&args.python).args(["-m", "venv"]).arg(&environment))?;
    let python = environment.join("bin/python");

    let mut install = pip(&python);
    // What cargo has built in this workspace, it need not build again.
    install.arg(&package).env("CARGO_TARGET_DIR", process::target());
    if args.dev {
        install.args(["--config-settings", "build-args=--profile dev"]);
    }
    process::output(&mut install)?;
    process::output(pip(&python).args(TOOLS).args(&args.with))?;

    let (profile, built) = if args.dev { ("dev", "debug") } else { ("release", "release") };
    process::run(process::cargo().args(["build", "--quiet", "--package", "pretend-driver", "--profile", profile]))?;
    let driver = process::target().join(built).join("libpretend_driver.so");

    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "-p", "no:cacheprovider", "--quiet"]).args(&args.pytest).arg(package.join("tests"));
    tests.current_dir(folder.path()).env("PYTHONDONTWRITEBYTECODE", "1").env("WARPLU_PRETEND_DRIVER", driver);
    process::run(&mut tests)
}

/// Begins an installation by a virtual environment's Python.
pub(crate) fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}
