//! Allocation of memory, and what the driver says of addresses.

use crate::border::{Out, Outcome, Refusal};
use crate::codes::{ALREADY_REGISTERED, INVALID_VALUE, NOT_REGISTERED};
use crate::entering::driver;
use crate::memory::{Block, Kind};
use crate::state::State;

impl State {
    fn allocate(&mut self, kind: Kind, len: usize) -> Outcome<usize> {
        let context = self.contexts.current()?;
        self.refuse_in_capture()?;
        self.memory.allocate(kind, context, len)
    }

    fn free(&mut self, start: usize, kind: Kind) -> Outcome {
        self.contexts.current()?;
        self.refuse_in_capture()?;
        if let Some(block) = self.memory.at(start).filter(|block| block.start == start && block.kind == kind) {
            let range = block.range();
            self.cancel(&range, &format!("{kind:?} memory is let go"));
        }
        self.memory.free(start, kind).map(|_| ())
    }

    fn register(&mut self, start: usize, len: usize) -> Outcome {
        let context = self.contexts.current()?;
        self.refuse_in_capture()?;
        if start == 0 || len == 0 {
            return Err(INVALID_VALUE.into());
        }
        let other = self.memory.around(&(start..start.saturating_add(len)));
        if !matches!(other, Ok(None)) {
            return Err(ALREADY_REGISTERED.into());
        }
        self.memory.insert(Block { kind: Kind::Registered, context, start, len });
        Ok(())
    }
}

driver! {
    fn cuMemAlloc_v2(address: Out<u64>, len: usize) |state| {
        let start = state.allocate(Kind::Device, len)?;
        address.set(start as u64)
    };

    fn cuMemFree_v2(address: u64) |state| match address {
        0 => Ok(()),
        address => state.free(address as usize, Kind::Device),
    };

    fn cuMemAllocHost_v2(memory: Out<usize>, len: usize) |state| {
        memory.set(state.allocate(Kind::Pinned, len)?)
    };

    fn cuMemHostAlloc(memory: Out<usize>, len: usize, _flags: u32) |state| {
        memory.set(state.allocate(Kind::Pinned, len)?)
    };

    fn cuMemFreeHost(memory: usize) |state| state.free(memory, Kind::Pinned);

    fn cuMemHostRegister_v2(memory: usize, len: usize, _flags: u32) |state| state.register(memory, len);

    fn cuMemHostUnregister(memory: usize) |state| state.free(memory, Kind::Registered).map_err(|refusal| {
        let code = if refusal.fault.is_some() { NOT_REGISTERED } else { refusal.code };
        Refusal { code, ..refusal }
    });

    // Writes an integer or a pointer, as the attribute has it.
    fn cuPointerGetAttribute(value: Out<usize>, attribute: u32, address: u64) |state| {
        let block = *state.memory.at(address as usize).ok_or(INVALID_VALUE)?;
        let device = state.contexts.device(block.context).unwrap_or(0);
        match attribute {
            1 => value.set(block.context),
            2 => value.narrow().set(if block.kind == Kind::Device { 2 } else { 1 }),
            3 => value.set(address as usize),
            4 if block.kind != Kind::Device => value.set(address as usize),
            8 => value.narrow().set(0), // managed
            9 => value.narrow().set(device),
            11 => value.set(block.start),
            12 => value.set(block.len),
            _ => Err(INVALID_VALUE.into()),
        }
    };
}
