//! A crate of kernels, and how it is compiled.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::manifest;
use crate::ptx::Ptx;
use crate::toolchain::{self, Toolchain};

/// Loops over register arrays must unroll whole or not at all: an index that stays dynamic puts the array into local
/// memory.
const UNROLL: [&str; 3] = [
    "-Cllvm-args=-unroll-threshold=200000",
    "-Cllvm-args=-unroll-runtime=false",
    "-Cllvm-args=-unroll-allow-partial=false",
];

/// The profile, whatever those of the kernels' workspace say: one crate, one unit, everything inlined, and no panics of
/// arithmetic.
const PROFILE: [&str; 10] = [
    "profile.ptx.inherits = \"release\"",
    "profile.ptx.opt-level = 3",
    "profile.ptx.lto = \"fat\"",
    "profile.ptx.codegen-units = 1",
    "profile.ptx.panic = \"abort\"",
    "profile.ptx.debug = false",
    "profile.ptx.debug-assertions = false",
    "profile.ptx.overflow-checks = false",
    "profile.ptx.incremental = false",
    "profile.ptx.strip = \"none\"",
];

/// A crate of kernels to be compiled.
#[derive(Clone, Debug)]
pub struct Kernels {
    folder: PathBuf,
    arch: String,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    target_dir: Option<PathBuf>,
    max_threads: u32,
    allows_local_memory: bool,
}

impl Kernels {
    /// The crate whose `Cargo.toml` is in `folder`, a path from where the caller runs: for a build script, the folder
    /// of its own `Cargo.toml`.
    ///
    /// ```
    /// let kernels = simt_build::Kernels::new("kernels").arch("sm_90").features(["double"]).max_threads(512);
    /// # let _ = kernels;
    /// ```
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            arch: "sm_70".to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            target_dir: None,
            max_threads: 0,
            allows_local_memory: false,
        }
    }

    /// The GPU to compile for, the oldest that is to run the kernels: `sm_80` is compute capability 8.0. Drivers
    /// compile its PTX for all newer ones. By default `sm_70`.
    #[must_use]
    pub fn arch(mut self, arch: impl Into<String>) -> Self {
        self.arch = arch.into();
        self
    }

    /// Switches features of the crate on.
    #[must_use]
    pub fn features(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.arguments.extend(names.into_iter().flat_map(|name| ["--features".to_owned(), name.into()]));
        self
    }

    /// Switches its default features off.
    #[must_use]
    pub fn no_default_features(mut self) -> Self {
        self.arguments.push("--no-default-features".to_owned());
        self
    }

    /// Sets a variable of the environment that the kernels are compiled in, for their `option_env!`.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Where to put build products; otherwise they go to `OUT_DIR`, or `target` in the crate's folder where that is not
    /// set.
    #[must_use]
    pub fn target_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.target_dir = Some(folder.into());
        self
    }

    /// The most threads that a block of any of the kernels has. Up to 256 need not be said; with more, a kernel of many
    /// registers could otherwise not be launched.
    #[must_use]
    pub fn max_threads(mut self, threads: u32) -> Self {
        self.max_threads = threads;
        self
    }

    /// Lets kernels have arrays in local memory: those whose indices are not known when they are compiled. It is device
    /// memory, slower than registers by far.
    #[must_use]
    pub fn allow_local_memory(mut self) -> Self {
        self.allows_local_memory = true;
        self
    }

    /// Compiles the crate, and checks what comes of it. In a build script, cargo is told to run it again when the
    /// kernels have changed.
    ///
    /// # Errors
    /// [`Error::Toolchain`] where the compiler is not installed, [`Error::Command`] with the compiler's own errors,
    /// [`Error::NoEntry`] and [`Error::Faults`] for kernels that cannot be shipped; each says what to do.
    pub fn build(&self) -> Result<Ptx, Error> {
        let is_arch =
            |arch: &str| arch.strip_prefix("sm_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if !is_arch(&self.arch) {
            return Err(Error::Arch(self.arch.clone()));
        }
        let folder = std::path::absolute(&self.folder).map_err(Error::io(&self.folder))?;
        let manifest = folder.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).map_err(Error::io(&manifest))?;
        let package = manifest::value(&text, "package", "name").zip(manifest::library(&text));
        let (package, library) = package.ok_or_else(|| Error::File {
            path: manifest.clone(),
            fault: "no `name = \"...\"` in [package]: give the folder of the kernels' crate".to_owned(),
        })?;
        let target = self.target(&folder)?;
        self.compile(&Toolchain::find(&folder)?, package, &target)?;
        let products = target.join("nvptx64-nvidia-cuda/ptx");
        watch(&manifest, &products.join(&library).with_extension("d"))?;
        let file = products.join("deps").join(library).with_extension("s");
        let ptx = Ptx::parse(&fs::read_to_string(&file).map_err(Error::io(&file))?, self.max_threads)?;
        if ptx.entries().next().is_none() {
            return Err(Error::NoEntry(folder));
        }
        let faults =
            ptx.faults(self.allows_local_memory).map(|(entry, fault)| format!("{entry} ({}): {fault}", self.arch));
        let faults: Vec<_> = faults.collect();
        if faults.is_empty() { Ok(ptx) } else { Err(Error::Faults(faults)) }
    }

    /// A folder of the architecture's own, for the file's name is the same for each.
    fn target(&self, folder: &Path) -> Result<PathBuf, Error> {
        let target = self.target_dir.clone().or_else(|| env::var_os("OUT_DIR").map(PathBuf::from));
        let target = target.unwrap_or_else(|| folder.join("target")).join(&self.arch);
        // The kernels are compiled in another folder than the current one.
        std::path::absolute(&target).map_err(Error::io(&target))
    }

    fn compile(&self, toolchain: &Toolchain, package: &str, target: &Path) -> Result<(), Error> {
        let flags = [&[format!("-Ctarget-cpu={}", self.arch)], &UNROLL.map(String::from)[..]].concat();
        let mut cargo = toolchain.command("cargo");
        cargo.args(["rustc", "--lib", "--profile", "ptx", "--crate-type", "cdylib", "-Zbuild-std=core"]);
        cargo.args(["--target", "nvptx64-nvidia-cuda"]).arg("--target-dir").arg(target).args(&self.arguments);
        for setting in PROFILE {
            cargo.args(["--config", setting]);
        }
        // What the profile `release` of the workspace says of single packages goes before the profile itself.
        for package in [package, "*"] {
            cargo.args(["--config", &format!("profile.ptx.package.{package:?}.opt-level = 3")]);
        }
        // Only the assembly is of use, so nothing links it.
        cargo.args(["--", "--emit=asm", "-Clinker=true"]);
        // Goes before RUSTFLAGS and the flags of any configuration file.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        cargo.envs(self.environment.iter().map(|(name, value)| (name, value)));
        toolchain::output(&mut cargo).map(drop)
    }
}

/// In a build script, tells cargo which files to watch: those that cargo itself found the kernels to come from, their
/// own dependencies in other folders included.
fn watch(manifest: &Path, list: &Path) -> Result<(), Error> {
    if env::var_os("OUT_DIR").is_none() {
        return Ok(());
    }
    let text = fs::read_to_string(list).map_err(Error::io(list))?;
    for file in [manifest.display().to_string()].into_iter().chain(sources(&text)) {
        println!("cargo::rerun-if-changed={file}");
    }
    Ok(())
}

/// The files that a line of a makefile names behind the colon: `product: one two\ with\ blanks`.
fn sources(text: &str) -> Vec<String> {
    let rest = text.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, rest)| rest);
    let marked = rest.replace("\\ ", "\0");
    marked.split_whitespace().map(|file| file.replace('\0', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_a_makefile() {
        let text = "/a b/lib.ptx: /k/src/lib.rs /my\\ simt/src/lib.rs\n\n/k/src/lib.rs:\n";
        assert_eq!(sources(text), ["/k/src/lib.rs", "/my simt/src/lib.rs"]);
        assert!(sources("").is_empty());
    }

    #[test]
    fn what_cannot_be_built_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = |kernels: Kernels| kernels.build().unwrap_err().to_string();
        assert!(error(Kernels::new(folder.path()).arch("90")).contains("sm_80 for 8.0"));
        assert!(error(Kernels::new(folder.path())).contains("Cargo.toml"));
        fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = [\"kernels\"]\n").unwrap();
        assert!(error(Kernels::new(folder.path())).contains("the folder of the kernels' crate"));
    }
}
