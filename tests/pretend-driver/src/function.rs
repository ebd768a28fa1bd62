//! Modules, their functions, and what a launch of these may ask for.

use std::collections::HashMap;

use crate::border::{Outcome, fault};
use crate::codes::{INVALID_VALUE, NOT_FOUND};
use crate::table::Handle;

/// The most shared memory of a block, for a kernel that asks for it.
pub(crate) const MAX_SHARED_BYTES: u32 = 232_448;
/// The most for all others.
pub(crate) const SHARED_BYTES: u32 = 48 << 10;
/// The most threads of a block.
pub(crate) const MAX_THREADS: u32 = 1024;

/// The attribute of the most dynamic shared memory.
const DYNAMIC_SHARED: u32 = 8;

/// The attribute that lets clusters have more blocks than every GPU with clusters has.
const NON_PORTABLE_CLUSTER: u32 = 14;

/// A loaded text of PTX.
pub(crate) struct Module {
    pub(crate) context: Handle,
    /// The sizes of its entry points' parameters.
    pub(crate) entries: HashMap<String, Vec<usize>>,
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

impl Module {
    /// The function of an entry point; the module's handle is its caller's to know.
    pub(crate) fn function(&self, module: Handle, name: String) -> Outcome<Function> {
        let parameters = self.entries.get(&name).ok_or(NOT_FOUND)?.clone();
        Ok(Function { module, name, parameters, shared_limit: SHARED_BYTES, large_clusters: false })
    }
}

impl Function {
    /// Sets an attribute. Those that nobody here reads may be anything.
    pub(crate) fn set_attribute(&mut self, attribute: u32, value: i32) -> Outcome {
        match (attribute, u32::try_from(value)) {
            (DYNAMIC_SHARED, Ok(bytes)) if bytes <= MAX_SHARED_BYTES => self.shared_limit = bytes,
            (NON_PORTABLE_CLUSTER, _) => self.large_clusters = value != 0,
            (DYNAMIC_SHARED, _) => return Err(fault(INVALID_VALUE, format!("{value} bytes of shared memory"))),
            _ => {}
        }
        Ok(())
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, attribute: u32) -> i32 {
        match attribute {
            0 => MAX_THREADS.cast_signed(),
            4 => 32, // registers
            DYNAMIC_SHARED => self.shared_limit.cast_signed(),
            _ => 0,
        }
    }
}
