//! The primary contexts of the devices, and which is current on each thread.

use std::collections::HashMap;
use std::thread::{self, ThreadId};

use crate::border::{Outcome, fault};
use crate::codes::{CONTEXT_IS_DESTROYED, INVALID_CONTEXT};
use crate::table::Handle;

/// A device's primary context.
#[derive(Clone, Copy, Default)]
pub(crate) struct Primary {
    /// 0 before it is first retained.
    pub(crate) handle: Handle,
    pub(crate) holds: u64,
    pub(crate) default_stream: Handle,
}

/// All of them.
pub(crate) struct Contexts {
    /// How many devices there are.
    pub(crate) devices: i32,
    /// The compute capability of those that have another one than 9.0, times 10.
    pub(crate) capabilities: HashMap<i32, i32>,
    pub(crate) primaries: HashMap<i32, Primary>,
    /// What is current on each thread, the last one first.
    stacks: HashMap<ThreadId, Vec<Handle>>,
}

impl Default for Contexts {
    fn default() -> Self {
        Self { devices: 2, capabilities: HashMap::new(), primaries: HashMap::new(), stacks: HashMap::new() }
    }
}

impl Contexts {
    /// How often primary contexts are held.
    pub(crate) fn holds(&self) -> u64 {
        self.primaries.values().map(|primary| primary.holds).sum()
    }

    /// How many threads have a context that is current.
    pub(crate) fn bound_threads(&self) -> usize {
        self.stacks.values().filter(|stack| stack.iter().any(|&context| context != 0)).count()
    }

    /// The device of a context.
    pub(crate) fn device(&self, context: Handle) -> Option<i32> {
        self.primaries.iter().find(|(_, primary)| primary.handle == context).map(|(&device, _)| device)
    }

    /// The context that is current on this thread, or 0.
    pub(crate) fn top(&self) -> Handle {
        self.stacks.get(&thread::current().id()).and_then(|stack| stack.last()).copied().unwrap_or(0)
    }

    pub(crate) fn stack(&mut self) -> &mut Vec<Handle> {
        self.stacks.entry(thread::current().id()).or_default()
    }

    /// The context that is current on this thread, which most calls need.
    pub(crate) fn current(&self) -> Outcome<Handle> {
        match self.top() {
            0 => Err(fault(INVALID_CONTEXT, "no context is current")),
            context => self.held(context).map(|_| context),
        }
    }

    /// The stream that a null handle means.
    pub(crate) fn default_stream(&self, context: Handle) -> Outcome<Handle> {
        self.held(context).map(|primary| primary.default_stream)
    }

    pub(crate) fn held(&self, context: Handle) -> Outcome<&Primary> {
        let primary = self.primaries.values().find(|primary| primary.handle == context);
        let primary = primary.ok_or_else(|| fault(INVALID_CONTEXT, "use of an unknown context"))?;
        if primary.holds == 0 {
            return Err(fault(CONTEXT_IS_DESTROYED, "use of a released context"));
        }
        Ok(primary)
    }
}
