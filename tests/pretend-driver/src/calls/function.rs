//! The calls about modules, and about their functions and the attributes of these.

use std::ffi::c_void;

use crate::border::{Out, Outcome, Text};
use crate::codes::INVALID_PTX;
use crate::entering::driver;
use crate::function::Module;
use crate::ptx;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

impl State {
    fn load(&mut self, text: &Text) -> Outcome<Handle> {
        let context = self.contexts.current()?;
        let entries = ptx::entries(&text.read()?).ok_or(INVALID_PTX)?;
        Ok(self.modules.insert(Module { context, entries }))
    }

    fn function(&mut self, module: Handle, name: String) -> Outcome<Handle> {
        self.contexts.current()?;
        let function = self.modules.get(module)?.function(module, name)?;
        Ok(self.functions.insert(function))
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
        state.functions.get_mut(function)?.set_attribute(attribute, value)
    };

    fn cuFuncGetAttribute(value: Out<i32>, attribute: u32, function: Handle) |state| {
        state.contexts.current()?;
        value.set(state.functions.get(function)?.attribute(attribute))
    };
}
