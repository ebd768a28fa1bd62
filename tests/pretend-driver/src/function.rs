//! Modules, their functions, and the functions' attributes.

use std::collections::HashMap;
use std::ffi::c_void;

use crate::border::{Out, Outcome, Text, fault};
use crate::codes::{INVALID_PTX, INVALID_VALUE, NOT_FOUND};
use crate::device::{MAX_SHARED_BYTES, MAX_THREADS, SHARED_BYTES};
use crate::ptx;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

/// The attribute of the most dynamic shared memory.
const DYNAMIC_SHARED: u32 = 8;

/// The attribute that lets clusters have more blocks than every GPU with clusters has.
const NON_PORTABLE_CLUSTER: u32 = 13;

/// A loaded text of PTX.
pub(crate) struct Module {
    pub(crate) context: Handle,
    /// The sizes of its entry points' parameters.
    entries: HashMap<String, Vec<usize>>,
}

/// An entry point of a module.
pub(crate) struct Function {
    pub(crate) module: Handle,
    pub(crate) name: String,
    /// The sizes of its parameters.
    pub(crate) parameters: Vec<usize>,
    /// The most dynamic shared memory that a launch may ask for.
    pub(crate) shared_limit: u32,
    /// Whether clusters may have more than 8 blocks.
    pub(crate) large_clusters: bool,
}

impl State {
    fn load(&mut self, text: &Text) -> Outcome<Handle> {
        let context = self.contexts.current()?;
        let entries = ptx::entries(&text.read()?).ok_or(INVALID_PTX)?;
        Ok(self.modules.insert(Module { context, entries }))
    }

    fn function(&mut self, module: Handle, name: String) -> Outcome<Handle> {
        self.contexts.current()?;
        let parameters = self.modules.get(module)?.entries.get(&name).ok_or(NOT_FOUND)?.clone();
        Ok(self.functions.insert(Function {
            module,
            name,
            parameters,
            shared_limit: SHARED_BYTES,
            large_clusters: false,
        }))
    }

    fn unload(&mut self, module: Handle) -> Outcome {
        self.contexts.current()?;
        self.modules.remove(module)?;
        for stream in self.streams.values_mut() {
            for (_, work) in &mut stream.queue {
                if matches!(work, Work::Launch(launch) if launch.module == module) {
                    self.notes.fault(format!("a module is unloaded while {} of it is queued", work.name()));
                    *work = Work::Cancelled;
                }
            }
        }
        self.functions.retain(|function| function.module != module);
        Ok(())
    }
}

driver! {
    fn cuModuleLoadData(module: Out<Handle>, text: Text) |state| module.set(state.load(&text)?);

    fn cuModuleLoadDataEx(
        module: Out<Handle>,
        text: Text,
        _count: u32,
        _options: *mut u32,
        _values: *mut *mut c_void,
    ) |state| module.set(state.load(&text)?);

    fn cuModuleUnload(module: Handle) |state| state.unload(module);

    fn cuModuleGetFunction(function: Out<Handle>, module: Handle, name: Text) |state| {
        function.set(state.function(module, name.read()?)?)
    };

    fn cuFuncSetAttribute(function: Handle, attribute: u32, value: i32) |state| {
        state.contexts.current()?;
        let function = state.functions.get_mut(function)?;
        match (attribute, u32::try_from(value)) {
            (DYNAMIC_SHARED, Ok(bytes)) if bytes <= MAX_SHARED_BYTES => function.shared_limit = bytes,
            (NON_PORTABLE_CLUSTER, _) => function.large_clusters = value != 0,
            (DYNAMIC_SHARED, _) => return Err(fault(INVALID_VALUE, format!("{value} bytes of shared memory"))),
            _ => {}
        }
        Ok(())
    };

    fn cuFuncGetAttribute(value: Out<i32>, attribute: u32, function: Handle) |state| {
        state.contexts.current()?;
        let function = state.functions.get(function)?;
        value.set(match attribute {
            0 => MAX_THREADS.cast_signed(),
            4 => 32, // registers
            DYNAMIC_SHARED => function.shared_limit.cast_signed(),
            _ => 0,
        })
    };
}
