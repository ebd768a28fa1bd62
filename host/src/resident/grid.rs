//! How a kernel of the caller's is launched.

use simt::cpu::{MAX_BLOCK, MAX_CLUSTER, MAX_GRID};

use crate::error::{Error, Result};

/// Blocks of a launch, and what each has. They have one dimension.
///
/// ```
/// use warplu::resident::Grid;
/// let grid = Grid::new(1000, 128).shared_bytes(4096);
/// assert_eq!(Grid::covering(100_000, 128)?, Grid::new(782, 128));
/// # let _ = grid;
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    pub(super) blocks: u32,
    pub(super) threads: u32,
    pub(super) cluster: u32,
    pub(super) shared_bytes: u32,
}

impl Grid {
    /// So many blocks of so many threads: up to 2^31 - 1 and 1024. With no blocks a launch does nothing.
    #[must_use]
    pub fn new(blocks: u32, threads: u32) -> Self {
        Self { blocks, threads, cluster: 1, shared_bytes: 0 }
    }

    /// As few blocks of so many threads as have `items` threads, or more: one an item.
    ///
    /// # Errors
    /// [`Error::Shape`] for more than a grid has.
    pub fn covering(items: usize, threads: u32) -> Result<Self> {
        let blocks = items.div_ceil(threads.max(1) as usize);
        let too_many = |_| Error::Shape(format!("a grid of {blocks} blocks is too large: launch it in parts"));
        Ok(Self::new(u32::try_from(blocks).map_err(too_many)?, threads))
    }

    /// The same, with so many bytes of dynamic shared memory for each block.
    #[must_use]
    pub fn shared_bytes(mut self, bytes: u32) -> Self {
        self.shared_bytes = bytes;
        self
    }

    /// The same, in clusters of so many blocks, up to 16, of which the grid is a multiple. There are clusters from
    /// compute capability 9.0 on.
    #[must_use]
    pub fn clusters_of(mut self, blocks: u32) -> Self {
        self.cluster = blocks;
        self
    }

    /// That a GPU takes it whose blocks may have so much shared memory.
    pub(super) fn check(&self, most_shared_bytes: u32) -> Result<()> {
        let Self { blocks, threads, cluster, shared_bytes } = *self;
        let fault = if blocks > MAX_GRID {
            format!("a grid of {blocks} blocks, where {MAX_GRID} are possible: launch it in parts")
        } else if !(1..=MAX_BLOCK).contains(&threads) {
            format!("blocks of {threads} threads, where 1 to {MAX_BLOCK} are possible")
        } else if !(1..=MAX_CLUSTER).contains(&cluster) || !blocks.is_multiple_of(cluster) {
            format!(
                "clusters of {cluster} in a grid of {blocks} blocks, where 1 to {MAX_CLUSTER} are possible that divide \
                 the grid"
            )
        } else if shared_bytes > most_shared_bytes {
            format!("{shared_bytes} bytes of shared memory a block, where {most_shared_bytes} are possible")
        } else {
            return Ok(());
        };
        Err(Error::Shape(fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_that_no_gpu_takes_are_refused() {
        let most = 99 << 10;
        let ok = [Grid::new(0, 1), Grid::new(MAX_GRID, 1024), Grid::new(32, 64).clusters_of(16).shared_bytes(most)];
        assert!(ok.iter().all(|grid| grid.check(most).is_ok()));
        for (grid, word) in [
            (Grid::new(MAX_GRID + 1, 1), "in parts"),
            (Grid::new(1, 0), "threads"),
            (Grid::new(1, 1025), "threads"),
            (Grid::new(3, 32).clusters_of(2), "clusters"),
            (Grid::new(3, 32).clusters_of(0), "clusters"),
            (Grid::new(1, 32).shared_bytes(most + 1), "shared memory"),
        ] {
            let error = grid.check(most).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn covering_grids_have_a_thread_an_item() {
        assert_eq!(Grid::covering(0, 64).unwrap().blocks, 0);
        assert_eq!(Grid::covering(64, 64).unwrap().blocks, 1);
        assert_eq!(Grid::covering(65, 64).unwrap().blocks, 2);
        assert!(Grid::covering(usize::MAX, 1).is_err());
    }
}
