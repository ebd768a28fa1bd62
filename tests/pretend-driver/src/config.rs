//! The structure that `cuLaunchKernelEx` is given, as C lays it out.

use std::slice;

use crate::border::{Outcome, fault};
use crate::codes::INVALID_VALUE;
use crate::table::Handle;

/// A caller's `CUlaunchConfig`. Only C makes one: its address is null, or that of one.
#[repr(transparent)]
pub(crate) struct Config(*const ConfigWords);

#[repr(C)]
pub(crate) struct ConfigWords {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) stream: Handle,
    attributes: *const Attribute,
    count: u32,
}

/// An attribute: its number, and the words of its value.
#[repr(C, align(8))]
struct Attribute {
    id: u32,
    padding: u32,
    value: [u32; 16],
}

/// The attribute of the dimensions of a cluster.
const CLUSTER_DIMENSION: u32 = 4;

impl Config {
    pub(crate) fn read(&self) -> Outcome<&ConfigWords> {
        // SAFETY: null, or the caller's.
        unsafe { self.0.as_ref() }.ok_or_else(|| INVALID_VALUE.into())
    }

    /// Blocks of a cluster. No caller here has another attribute.
    pub(crate) fn cluster(&self) -> Outcome<u32> {
        let config = self.read()?;
        let attributes: &[Attribute] = match config.count {
            0 => &[],
            // SAFETY: the caller has so many.
            count => unsafe { slice::from_raw_parts(config.attributes, count as usize) },
        };
        match attributes {
            [] => Ok(1),
            [Attribute { id: CLUSTER_DIMENSION, value: [blocks, 1, 1, ..], .. }] => Ok(*blocks),
            _ => Err(fault(INVALID_VALUE, "a launch has other attributes than clusters of one dimension")),
        }
    }
}
