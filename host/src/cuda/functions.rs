//! The kernels of a GPU, each compiled on first use.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kernels_gpu::entry::Entry;
use kernels_gpu::ptx::MODULES;
use kernels_gpu::table;

use super::Function;
use super::context::Context;
use super::error::CudaError;
use super::module::Module;
use super::ptx;

/// The kernels of each tier that there is PTX for, from the lowest on: a GPU runs those of its own tier, and of a lower
/// one in a list with others.
#[derive(Debug)]
pub(super) struct Functions(Vec<(u32, OnceLock<Places>)>);

/// A place for the kernel of each entry point, in the order of the table of entry points.
#[derive(Debug)]
struct Places(Box<[Place]>);

/// A kernel's place. Its own lock lets several threads compile different kernels at once.
#[derive(Debug, Default)]
struct Place {
    function: OnceLock<Function>,
    compiling: Mutex<()>,
}

impl Default for Functions {
    fn default() -> Self {
        let mut tiers: Vec<_> = MODULES.iter().map(|module| module.tier).collect();
        tiers.sort_unstable();
        tiers.dedup();
        Self(tiers.into_iter().map(|tier| (tier, OnceLock::new())).collect())
    }
}

impl Default for Places {
    fn default() -> Self {
        Self(table::entries().map(|_| Place::default()).collect())
    }
}

impl Functions {
    /// The kernel of an entry point for a tier, compiled if this is its first use. A failure is not kept.
    pub(super) fn get(&self, context: &Arc<Context>, tier: u32, entry: &'static Entry) -> Result<&Function, CudaError> {
        let Some((_, places)) = self.0.iter().rev().find(|(of, _)| *of <= tier) else {
            let reason = "this build holds no kernels for it".to_owned();
            return Err(CudaError::NoKernel { entry: entry.name.to_owned(), tier, reason });
        };
        let places = &places.get_or_init(Places::default).0;
        let place = table::index(entry).and_then(|index| places.get(index));
        let place = place.expect("entry points are nowhere but in the table");
        match place.function.get() {
            Some(function) => Ok(function),
            None => place.compile(context, tier, entry),
        }
    }
}

impl Place {
    #[cold]
    fn compile(&self, context: &Arc<Context>, tier: u32, entry: &'static Entry) -> Result<&Function, CudaError> {
        let _compiling = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        if let Some(function) = self.function.get() {
            return Ok(function);
        }
        let ptx = ptx::find(entry.name, tier)?;
        // SAFETY: this project's own build emitted the text.
        let module = unsafe { Module::compile(context, &ptx) }?;
        let function = Function::get(Arc::new(module), entry.name)?;
        Ok(self.function.get_or_init(|| function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_point_has_its_own_place() {
        assert!(Functions::default().0.is_sorted_by(|(a, _), (b, _)| a < b));
        let places = Places::default();
        assert_eq!(places.0.len(), table::entries().count());
        for (index, entry) in table::entries().enumerate() {
            assert_eq!(table::index(entry), Some(index));
        }
    }
}
