//! What ptxas makes of a module: registers, stack, shared memory and spills.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::process;

/// NVIDIA's assembler.
pub(crate) struct Ptxas {
    path: PathBuf,
    /// The architectures that it compiles for.
    sms: Vec<u32>,
}

/// The resources of an entry point.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) registers: u32,
    pub(crate) stack: u32,
    pub(crate) shared: u32,
    pub(crate) spill_stores: u32,
    pub(crate) spill_loads: u32,
}

impl Usage {
    /// Whether registers went to memory.
    pub(crate) fn spills(&self) -> bool {
        self.spill_stores + self.spill_loads > 0
    }

    /// Reads the messages of `ptxas --verbose`.
    fn parse(messages: &str) -> Self {
        let words: Vec<_> = messages.split([' ', '\n', ',']).filter(|word| !word.is_empty()).collect();
        let sum = |unit: &[&str]| {
            let numbers = words.windows(unit.len() + 1).filter(|window| window[1..] == *unit);
            numbers.filter_map(|window| window[0].parse::<u32>().ok()).sum()
        };
        Self {
            registers: sum(&["registers"]),
            stack: sum(&["bytes", "stack", "frame"]),
            shared: sum(&["bytes", "smem"]),
            spill_stores: sum(&["bytes", "spill", "stores"]),
            spill_loads: sum(&["bytes", "spill", "loads"]),
        }
    }
}

impl Ptxas {
    /// The one at a path, or the first in `CUDA_HOME`, `CUDA_PATH` and `PATH`, if there is one.
    pub(crate) fn find(path: Option<&Path>) -> Result<Option<Self>, Error> {
        let Some(path) = path.map(Path::to_path_buf).or_else(search) else {
            return Ok(None);
        };
        let help = process::output(Command::new(&path).arg("--help"))?;
        Ok(Some(Self { sms: quoted_sms(&help), path }))
    }

    /// Compiles a module, written to a folder, for the oldest known architecture from `sm` on.
    pub(crate) fn usage(&self, sm: u32, name: &str, module: &str, folder: &Path) -> Result<Usage, Error> {
        let arch = self.sms.iter().copied().filter(|arch| *arch >= sm).min();
        let arch = arch.ok_or_else(|| Error::PtxasArch { path: self.path.clone(), sm })?;
        let ptx = folder.join(name).with_extension("ptx");
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        fs::write(&ptx, module).map_err(Error::io(&ptx))?;
        let mut ptxas = Command::new(&self.path);
        ptxas.args(["--verbose", &format!("--gpu-name=sm_{arch}"), "--output-file"]);
        ptxas.arg(ptx.with_extension("cubin")).arg(&ptx);
        process::output(&mut ptxas).map(|messages| Usage::parse(&messages))
    }
}

/// The architectures in the help text: `'sm_80','sm_90','sm_90a'`. The text around them names others, unquoted.
fn quoted_sms(help: &str) -> Vec<u32> {
    help.split('\'').filter_map(|quoted| quoted.strip_prefix("sm_")?.parse().ok()).collect()
}

fn search() -> Option<PathBuf> {
    let toolkits =
        ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(|home| Path::new(&home).join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let name = format!("ptxas{}", env::consts::EXE_SUFFIX);
    toolkits.chain(env::split_paths(&path)).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures() {
        let help = "sm_70 or higher.\nAllowed values: 'lto_80','sm_75','sm_90',\n'sm_90a'.\nDefault value: 'sm_75'.";
        assert_eq!(quoted_sms(help), [75, 90, 75]);
    }

    #[test]
    fn usage_of_an_entry() {
        let messages = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'lu' for 'sm_90'\n\
            ptxas info    : Function properties for lu\n    \
            32 bytes stack frame, 28 bytes spill stores, 24 bytes spill loads\n\
            ptxas info    : Used 64 registers, used 1 barriers, 32 bytes cumulative stack size, 128 bytes smem\n";
        let usage = Usage::parse(messages);
        assert_eq!(usage, Usage { registers: 64, stack: 32, shared: 128, spill_stores: 28, spill_loads: 24 });
        assert!(usage.spills());
        assert!(!Usage::parse("Used 64 registers, used 1 barriers").spills());
    }
}
