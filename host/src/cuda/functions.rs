//! The kernels of a GPU, each compiled on first use.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kernels_gpu::entry::Entry;
use kernels_gpu::table;

use super::Function;
use super::context::Context;
use super::error::CudaError;
use super::module::Module;
use super::ptx;

/// A place for the kernel of each entry point, in the order of the table of entry points.
#[derive(Debug)]
pub(super) struct Functions(Box<[Place]>);

/// A kernel's place. Its own lock lets several threads compile different kernels at once.
#[derive(Debug, Default)]
struct Place {
    function: OnceLock<Function>,
    compiling: Mutex<()>,
}

impl Default for Functions {
    fn default() -> Self {
        Self(table::entries().map(|_| Place::default()).collect())
    }
}

impl Functions {
    /// The kernel of an entry point, compiled if this is its first use. A failure is not kept.
    pub(super) fn get(&self, context: &Arc<Context>, tier: u32, entry: &'static Entry) -> Result<&Function, CudaError> {
        let place = table::index(entry).and_then(|index| self.0.get(index));
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
        let function = Function::get(module, entry.name)?;
        Ok(self.function.get_or_init(|| function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_point_has_its_own_place() {
        let functions = Functions::default();
        assert_eq!(functions.0.len(), table::entries().count());
        for (index, entry) in table::entries().enumerate() {
            assert_eq!(table::index(entry), Some(index));
        }
    }
}
