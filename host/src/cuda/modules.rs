//! The kernels of a GPU, each compiled on first use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Function;
use super::archives::BUILT_IN;
use super::context::Context;
use super::error::CudaError;
use super::module::Module;

/// A kernel's place. Its own lock lets several threads compile different kernels at once.
type Place = Arc<Mutex<Option<Arc<Function>>>>;

/// The kernels compiled so far, by entry point.
#[derive(Debug, Default)]
pub(super) struct Modules(Mutex<HashMap<String, Place>>);

impl Modules {
    /// The kernel of this name, compiled if this is its first use. A failure is not kept.
    pub(super) fn function(
        &self,
        context: &Arc<Context>,
        capability: (u32, u32),
        entry: &str,
    ) -> Result<Arc<Function>, CudaError> {
        let place = self.place(entry);
        let mut compiled = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = &*compiled {
            return Ok(Arc::clone(function));
        }
        let ptx = BUILT_IN.find(entry, capability)?;
        // SAFETY: this project's own build emitted the text.
        let module = Arc::new(unsafe { Module::compile(context, ptx) }?);
        let function = Arc::new(Function::get(&module, entry)?);
        Ok(Arc::clone(compiled.insert(function)))
    }

    fn place(&self, entry: &str) -> Place {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(entry) {
            return Arc::clone(place);
        }
        Arc::clone(places.entry(entry.to_owned()).or_default())
    }
}
