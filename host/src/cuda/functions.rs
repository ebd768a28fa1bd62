//! The kernels of a GPU, each compiled on first use.

use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kernels_gpu::entry::Entry;
use kernels_gpu::ptx::MODULES;
use kernels_gpu::table;

use super::Function;
use super::context::Context;
use super::error::CudaError;
use super::module::Module;
use super::ptx as texts;

/// The kernels of each tier that there is PTX for, from the lowest on: a GPU runs those of its own tier, and of a lower
/// one in a list with others.
#[derive(Debug)]
pub(super) struct Functions(Vec<(u32, OnceLock<Places>)>);

/// A place for the kernel of each entry point: of warplu's own, in the order of their table, and of others.
#[derive(Debug)]
struct Places {
    own: Box<[Place]>,
    others: Others,
}

/// The places of other crates' kernels, as these come up: a list that only grows, so that each stays where it is.
#[derive(Debug, Default)]
struct Others(OnceLock<Box<(&'static Entry, Place, Others)>>);

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
        Self { own: table::ENTRIES.iter().map(|_| Place::default()).collect(), others: Others::default() }
    }
}

impl Functions {
    /// The kernel of an entry point for a tier, compiled if this is its first use. A failure is not kept.
    pub(super) fn get(&self, context: &Arc<Context>, tier: u32, entry: &'static Entry) -> Result<&Function, CudaError> {
        let Some((_, places)) = self.0.iter().rev().find(|(of, _)| *of <= tier) else {
            let reason = "this build holds no kernels for it".to_owned();
            return Err(CudaError::NoKernel { entry: entry.name.to_owned(), tier, reason });
        };
        let place = places.get_or_init(Places::default).of(entry);
        match place.function.get() {
            Some(function) => Ok(function),
            None => place.compile(context, tier, entry),
        }
    }
}

impl Places {
    fn of(&self, entry: &'static Entry) -> &Place {
        let own = table::ENTRIES.element_offset(entry).and_then(|index| self.own.get(index));
        own.unwrap_or_else(|| self.others.of(entry))
    }
}

impl Others {
    #[cold]
    fn of(&self, entry: &'static Entry) -> &Place {
        let (first, place, rest) = &**self.0.get_or_init(|| Box::new((entry, Place::default(), Self::default())));
        if ptr::eq(*first, entry) { place } else { rest.of(entry) }
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
        let ptx = texts::find(entry, tier)?;
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
        // As if they were another crate's.
        let others: Vec<&'static Entry> = table::ENTRIES
            .iter()
            .map(|entry| Entry { tiers: entry.tiers.clone(), ..*entry })
            .map(|entry| &*Box::leak(Box::new(entry)))
            .collect();
        let mut seen: Vec<*const Place> = Vec::new();
        for _ in 0..2 {
            seen.extend(
                table::ENTRIES.iter().chain(others.iter().copied()).map(|entry| ptr::from_ref(places.of(entry))),
            );
        }
        let (once, again) = seen.split_at(2 * table::ENTRIES.len());
        assert_eq!(once, again);
        let mut distinct = once.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), once.len());
    }
}
