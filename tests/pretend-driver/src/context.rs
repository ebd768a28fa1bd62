//! The primary contexts of the devices, and which is current on each thread.

use std::collections::HashMap;
use std::thread::{self, ThreadId};

use crate::border::{Out, Outcome, fault};
use crate::codes::{CONTEXT_IS_DESTROYED, INVALID_CONTEXT, INVALID_DEVICE};
use crate::state::State;
use crate::stream::Stream;
use crate::table::Handle;

/// A device's primary context.
#[derive(Clone, Copy, Default)]
struct Primary {
    /// 0 before it is first retained.
    handle: Handle,
    holds: u64,
    default_stream: Handle,
}

/// All of them.
pub(crate) struct Contexts {
    /// How many devices there are.
    pub(crate) devices: i32,
    primaries: HashMap<i32, Primary>,
    /// What is current on each thread, the last one first.
    stacks: HashMap<ThreadId, Vec<Handle>>,
}

impl Default for Contexts {
    fn default() -> Self {
        Self { devices: 2, primaries: HashMap::new(), stacks: HashMap::new() }
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
    fn top(&self) -> Handle {
        self.stacks.get(&thread::current().id()).and_then(|stack| stack.last()).copied().unwrap_or(0)
    }

    fn stack(&mut self) -> &mut Vec<Handle> {
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

    fn held(&self, context: Handle) -> Outcome<&Primary> {
        let primary = self.primaries.values().find(|primary| primary.handle == context);
        let primary = primary.ok_or_else(|| fault(INVALID_CONTEXT, "use of an unknown context"))?;
        if primary.holds == 0 {
            return Err(fault(CONTEXT_IS_DESTROYED, "use of a released context"));
        }
        Ok(primary)
    }
}

impl State {
    fn retain(&mut self, device: i32) -> Outcome<Handle> {
        if !(0..self.contexts.devices).contains(&device) {
            return Err(INVALID_DEVICE.into());
        }
        let primary = self.contexts.primaries.entry(device).or_default();
        if primary.handle == 0 {
            // Its default stream's handle serves as its own.
            let stream = self.streams.insert(Stream::default_of(0));
            (primary.handle, primary.default_stream) = (stream, stream);
            self.streams.get_mut(stream)?.context = stream;
        }
        primary.holds += 1;
        Ok(primary.handle)
    }

    fn release(&mut self, device: i32) -> Outcome {
        let primary = self.contexts.primaries.get_mut(&device).filter(|primary| primary.holds > 0);
        let primary =
            primary.ok_or_else(|| fault(INVALID_CONTEXT, "a context is released more often than retained"))?;
        primary.holds -= 1;
        let Primary { handle, holds, .. } = *primary;
        let live = self.objects_of(handle);
        if holds == 0 && live > 0 {
            self.notes.fault(format!("cuDevicePrimaryCtxRelease_v2: {live} objects outlive their context"));
        }
        Ok(())
    }

    /// How many objects of a context are alive.
    fn objects_of(&self, context: Handle) -> usize {
        let streams = self.streams.iter().filter(|(_, stream)| stream.context == context && stream.is_alive());
        let events = self.events.iter().filter(|(_, event)| event.context == context);
        let modules = self.modules.iter().filter(|(_, module)| module.context == context);
        let memory = self.memory.count_of(context);
        // Its default stream is part of it.
        streams.count().saturating_sub(1) + events.count() + modules.count() + memory
    }
}

driver! {
    fn cuDevicePrimaryCtxRetain(context: Out<Handle>, device: i32) |state| {
        let handle = state.retain(device)?;
        context.set(handle)
    };

    fn cuDevicePrimaryCtxRelease_v2(device: i32) |state| state.release(device);

    fn cuCtxGetCurrent(context: Out<Handle>) |state| context.set(state.contexts.top());

    fn cuCtxSetCurrent(context: Handle) |state| {
        if context != 0 {
            state.contexts.held(context)?;
        }
        let stack = state.contexts.stack();
        stack.pop();
        stack.push(context);
        Ok(())
    };

    fn cuCtxPushCurrent_v2(context: Handle) |state| {
        state.contexts.held(context)?;
        state.contexts.stack().push(context);
        Ok(())
    };

    fn cuCtxPopCurrent_v2(context: Out<Handle>) |state| {
        let popped = state.contexts.stack().pop();
        context.set_if_wanted(popped.unwrap_or(0));
        popped.map(|_| ()).ok_or_else(|| fault(INVALID_CONTEXT, "nothing to pop"))
    };

    fn cuCtxGetDevice(device: Out<i32>) |state| {
        let current = state.contexts.current()?;
        device.set(state.contexts.device(current).unwrap_or(0))
    };

    fn cuCtxSynchronize() |state| {
        let current = state.contexts.current()?;
        state.refuse_in_capture()?;
        state.run_context(current);
        Ok(())
    };
}
