//! The kernels of a GPU, each compiled on first use.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kernels_gpu::entry::Entry;
use kernels_gpu::table::ENTRIES;

use super::Function;
use super::archives;
use super::context::Context;
use super::error::CudaError;
use super::module::Module;

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
        Self(ENTRIES.iter().map(|_| Place::default()).collect())
    }
}

impl Functions {
    /// The kernel of an entry point, compiled if this is its first use. A failure is not kept.
    pub(super) fn get(
        &self,
        context: &Arc<Context>,
        capability: (u32, u32),
        entry: &'static Entry,
    ) -> Result<&Function, CudaError> {
        let place = ENTRIES.element_offset(entry).and_then(|index| self.0.get(index));
        let place = place.expect("entry points are nowhere but in the table");
        match place.function.get() {
            Some(function) => Ok(function),
            None => place.compile(context, capability, entry),
        }
    }
}

impl Place {
    #[cold]
    fn compile(
        &self,
        context: &Arc<Context>,
        capability: (u32, u32),
        entry: &'static Entry,
    ) -> Result<&Function, CudaError> {
        let _compiling = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        if let Some(function) = self.function.get() {
            return Ok(function);
        }
        let ptx = archives::find(entry.name, entry.family.name(), capability)?;
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
        assert_eq!(functions.0.len(), ENTRIES.len());
        for (index, entry) in ENTRIES.iter().enumerate() {
            assert_eq!(ENTRIES.element_offset(entry), Some(index));
        }
    }
}
