//! Launches in clusters, which take a call of their own: what it is given, laid out as `cuda.h` declares it.

use super::table::CUstream;

/// How a kernel is launched.
#[derive(Debug)]
#[repr(C)]
pub(super) struct CUlaunchConfig {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared_bytes: u32,
    pub(super) stream: CUstream,
    pub(super) attributes: *const CUlaunchAttribute,
    pub(super) count: u32,
}

/// What the launch has beyond that. This can only say how many blocks a cluster has.
#[derive(Debug)]
#[repr(C)]
pub(super) struct CUlaunchAttribute {
    id: u32,
    padding: u32,
    /// The union of all values, of which the dimensions of a cluster are the first three words.
    value: [u64; 8],
}

/// The attribute of clusters.
const CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: u32 = 4;

/// Blocks of the largest cluster that every GPU with clusters has; for more a kernel has to ask.
pub(super) const MAX_PORTABLE_CLUSTER: u32 = 8;

impl CUlaunchAttribute {
    /// Clusters of so many blocks, along the first dimension of the grid.
    pub(super) fn cluster(blocks: u32) -> Self {
        let (mut value, [x, y, z]) = ([0; 8], [blocks, 1, 1].map(u32::to_ne_bytes));
        value[0] = u64::from_ne_bytes([x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]]);
        value[1] = u64::from_ne_bytes([z[0], z[1], z[2], z[3], 0, 0, 0, 0]);
        Self { id: CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, padding: 0, value }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    /// What a C compiler makes of the declarations in CUDA 11.8 to 13.0, for 64-bit machines.
    #[test]
    fn the_layout_is_that_of_c() {
        assert_eq!((size_of::<CUlaunchAttribute>(), align_of::<CUlaunchAttribute>()), (72, 8));
        assert_eq!((offset_of!(CUlaunchAttribute, id), offset_of!(CUlaunchAttribute, value)), (0, 8));
        assert_eq!((size_of::<CUlaunchConfig>(), align_of::<CUlaunchConfig>()), (56, 8));
        assert_eq!((offset_of!(CUlaunchConfig, grid), offset_of!(CUlaunchConfig, block)), (0, 12));
        assert_eq!((offset_of!(CUlaunchConfig, shared_bytes), offset_of!(CUlaunchConfig, stream)), (24, 32));
        assert_eq!((offset_of!(CUlaunchConfig, attributes), offset_of!(CUlaunchConfig, count)), (40, 48));
    }

    #[test]
    fn the_words_of_a_cluster() {
        let attribute = CUlaunchAttribute::cluster(16);
        // SAFETY: 64 bytes of plain data.
        let words: [u32; 16] = unsafe { std::mem::transmute(attribute.value) };
        assert_eq!((attribute.id, &words[..4]), (4, &[16, 1, 1, 0][..]));
    }
}
