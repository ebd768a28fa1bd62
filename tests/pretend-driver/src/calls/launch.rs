//! Launches of kernels, which do nothing unless a test has given them a body.

use std::ffi::CString;
use std::ops::Range;
use std::slice;

use crate::border::{Outcome, fault};
use crate::codes::{INVALID_HANDLE, INVALID_VALUE};
use crate::config::{Config, ConfigWords};
use crate::entering::driver;
use crate::function::{Function, MAX_THREADS};
use crate::launch::Launch;
use crate::memory::Kind;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

/// What a launch asks for.
struct Shape {
    grid: [u32; 3],
    cluster: u32,
    block: [u32; 3],
    shared_bytes: u32,
}

/// The parameters of a launch, each at a multiple of 8 bytes.
///
/// # Safety
/// There is a pointer to each of them, to as many bytes as the function says.
unsafe fn parameters(function: &Function, pointers: *const *const u8) -> Vec<u64> {
    let mut words = Vec::new();
    for (i, &size) in function.parameters.iter().enumerate() {
        // SAFETY: the caller's promise.
        let bytes = unsafe { slice::from_raw_parts(*pointers.add(i), size) };
        words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
    }
    words
}

impl State {
    /// The allocations of devices that words are addresses of.
    fn named(&self, words: &[u64]) -> Vec<Range<usize>> {
        let blocks = words.iter().filter_map(|&word| self.memory.at(word as usize));
        blocks.filter(|block| block.kind == Kind::Device).map(|block| block.range()).collect()
    }

    fn launch(&mut self, function: Handle, shape: Shape, stream: Handle, pointers: *const *const u8) -> Outcome {
        let Shape { grid, cluster, block, shared_bytes } = shape;
        let stream = self.stream(stream)?;
        let function = self.functions.get(function)?;
        let context = self.modules.get(function.module)?.context;
        if context != self.streams.get(stream)?.context {
            return Err(fault(INVALID_HANDLE, format!("{} is launched in a stream of another context", function.name)));
        }
        let threads = block.iter().fold(1, |product: u32, &size| product.saturating_mul(size));
        let grid_fits = grid[0] <= i32::MAX.cast_unsigned() && grid[1..].iter().all(|&size| size <= 65_535);
        if threads == 0
            || threads > MAX_THREADS
            || grid.contains(&0)
            || !grid_fits
            || shared_bytes > function.shared_limit
        {
            let shape = format!("{grid:?} blocks of {block:?} threads with {shared_bytes} bytes of shared memory");
            return Err(fault(INVALID_VALUE, format!("{} cannot have {shape}", function.name)));
        }
        let most = if function.large_clusters { 16 } else { 8 };
        if !(1..=most).contains(&cluster) || !grid[0].is_multiple_of(cluster) {
            let shape = format!("clusters of {cluster} in a grid of {} blocks", grid[0]);
            return Err(fault(INVALID_VALUE, format!("{} cannot have {shape}", function.name)));
        }
        if pointers.is_null() && !function.parameters.is_empty() {
            return Err(INVALID_VALUE.into());
        }
        // SAFETY: the caller gives a pointer for each parameter that the kernel's PTX declares.
        let parameters = unsafe { parameters(function, pointers) };
        let launch = Launch {
            name: CString::new(function.name.as_str()).unwrap_or_default(),
            module: function.module,
            device: self.contexts.device(context).unwrap_or(-1),
            grid,
            cluster,
            block,
            shared_bytes,
            memory: self.named(&parameters),
            parameters,
        };
        self.queue(stream, Work::Launch(launch.clone()))?;
        self.launches.push(launch);
        Ok(())
    }
}

driver! {
    fn cuLaunchKernel(
        function: Handle,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: Handle,
        parameters: *const *const u8,
        extra: *const *const u8,
    ) |state| match extra.is_null() {
        true => {
            let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
            state.launch(function, Shape { grid, cluster: 1, block, shared_bytes }, stream, parameters)
        }
        // No caller here packs its parameters.
        false => Err(INVALID_VALUE.into()),
    };

    fn cuLaunchKernelEx(
        config: Config,
        function: Handle,
        parameters: *const *const u8,
        extra: *const *const u8,
    ) |state| match extra.is_null() {
        true => {
            let ConfigWords { grid, block, shared_bytes, stream, .. } = *config.read()?;
            let shape = Shape { grid, cluster: config.cluster()?, block, shared_bytes };
            state.launch(function, shape, stream, parameters)
        }
        false => Err(INVALID_VALUE.into()),
    };
}
