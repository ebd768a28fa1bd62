//! Objects by their handles. No handle comes twice, so that one of a destroyed object is known as such.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::border::{Outcome, fault};
use crate::codes::INVALID_HANDLE;

/// A handle, as callers see it: a pointer that nobody may follow.
pub(crate) type Handle = usize;

static NEXT: AtomicUsize = AtomicUsize::new(0x1000);

/// The live objects of a kind.
pub(crate) struct Table<T> {
    kind: &'static str,
    live: BTreeMap<Handle, T>,
    gone: Vec<Handle>,
}

impl<T> Table<T> {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, live: BTreeMap::new(), gone: Vec::new() }
    }

    pub(crate) fn insert(&mut self, object: T) -> Handle {
        let handle = NEXT.fetch_add(0x10, Ordering::Relaxed);
        self.live.insert(handle, object);
        handle
    }

    pub(crate) fn get(&self, handle: Handle) -> Outcome<&T> {
        self.live.get(&handle).ok_or_else(|| fault(INVALID_HANDLE, self.missing(handle)))
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Outcome<&mut T> {
        let missing = self.missing(handle);
        self.live.get_mut(&handle).ok_or_else(|| fault(INVALID_HANDLE, missing))
    }

    pub(crate) fn remove(&mut self, handle: Handle) -> Outcome<T> {
        let object = self.live.remove(&handle).ok_or_else(|| fault(INVALID_HANDLE, self.missing(handle)))?;
        self.gone.push(handle);
        Ok(object)
    }

    /// Lets go of all that `keep` does not want.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let (live, gone) = (&mut self.live, &mut self.gone);
        live.retain(|&handle, object| {
            let stays = keep(object);
            if !stays {
                gone.push(handle);
            }
            stays
        });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.live.iter().map(|(&handle, object)| (handle, object))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.live.values_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    fn missing(&self, handle: Handle) -> String {
        let what = if self.gone.contains(&handle) { "destroyed" } else { "unknown" };
        format!("use of a {what} {}", self.kind)
    }
}
