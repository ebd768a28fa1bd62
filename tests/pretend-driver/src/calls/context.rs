//! The calls about contexts: who holds the primary ones, and which is current.

use crate::border::{Out, Outcome, fault};
use crate::codes::{INVALID_CONTEXT, INVALID_DEVICE};
use crate::context::Primary;
use crate::entering::driver;
use crate::state::State;
use crate::stream::Stream;
use crate::table::Handle;

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
