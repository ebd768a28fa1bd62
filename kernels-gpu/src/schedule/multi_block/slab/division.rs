//! How wide slabs are, and which clusters factor them.

use super::{bytes, lanes};
use crate::collective::mma::Mma;
use crate::schedule::multi_block::COLUMNS;
use crate::schedule::multi_block::panel::{MAX_BLOCKS, THREADS};
use crate::schedule::multi_block::share::rows;
use crate::shape::{Shape, quotient, round_up};
use numbers::scalar::{ScalarKind, c32, c64};

/// Slabs of matrices of a type, on a machine.
#[derive(Clone, Copy, Debug)]
pub struct Slabs {
    /// The type.
    pub kind: ScalarKind,
    /// Rows that a lane may hold, where there are kernels for them: 1, 2, 4; else 0.
    pub lane_rows: [u32; 3],
    /// Shared memory that a block may have.
    pub shared_bytes: u32,
    /// Columns of a slab at most: a multiple of [`COLUMNS`].
    pub columns: u32,
    /// Blocks of a cluster at least, a power of two; if there is room, more are not taken.
    pub blocks: u32,
}

impl Slabs {
    /// There are no kernels for slabs.
    pub const NONE: Self = Self { kind: ScalarKind::F32, lane_rows: [0; 3], shared_bytes: 0, columns: 0, blocks: 1 };

    /// Columns of a slab of `count` candidates: as many as clusters can keep. 0 where panels one by one are better.
    #[must_use]
    pub fn width(&self, count: u32) -> u32 {
        let widest = self.lane_rows.map(|lane_rows| match self.kind {
            ScalarKind::F32 => self.widest::<f32, 32>(count, lane_rows),
            ScalarKind::F64 => self.widest::<f64, 32>(count, lane_rows),
            ScalarKind::C32 => self.widest::<c32, 32>(count, lane_rows),
            ScalarKind::C64 => self.widest::<c64, 16>(count, lane_rows),
        });
        let columns = widest.into_iter().max().unwrap_or(0).min(self.columns);
        if columns >= 2 * COLUMNS { columns } else { 0 }
    }

    fn widest<T: Mma, const NB: usize>(&self, count: u32, lane_rows: u32) -> u32 {
        let own = rows(count, MAX_BLOCKS);
        if own > lanes(MAX_BLOCKS) * lane_rows {
            return 0;
        }
        let left = self.shared_bytes.saturating_sub(bytes::<T, NB>(own, 0, lane_rows));
        quotient(left, own * size_of::<T>() as u32) / COLUMNS * COLUMNS
    }

    /// The rows of a lane, and the launch for a matrix, of a slab of `columns` columns of `count` candidates.
    #[must_use]
    pub fn launch(&self, count: u32, columns: u32) -> Option<(u32, Shape)> {
        self.lane_rows.into_iter().find_map(|lane_rows| {
            let shape = match self.kind {
                ScalarKind::F32 => self.shape::<f32, 32>((count, columns), lane_rows),
                ScalarKind::F64 => self.shape::<f64, 32>((count, columns), lane_rows),
                ScalarKind::C32 => self.shape::<c32, 32>((count, columns), lane_rows),
                ScalarKind::C64 => self.shape::<c64, 16>((count, columns), lane_rows),
            };
            shape.map(|shape| (lane_rows, shape))
        })
    }

    /// That of the smallest clusters.
    fn shape<T: Mma, const NB: usize>(&self, (count, columns): (u32, u32), lane_rows: u32) -> Option<Shape> {
        [1, 2, 4, 8, MAX_BLOCKS].into_iter().filter(|&blocks| blocks >= self.blocks).find_map(|blocks| {
            let own = rows(count, blocks);
            let shared_bytes = bytes::<T, NB>(own, round_up(columns, NB as u32), lane_rows);
            let fits = own <= lanes(blocks) * lane_rows && shared_bytes <= self.shared_bytes;
            fits.then_some(Shape { blocks: blocks.into(), threads: THREADS, shared_bytes, cluster: blocks })
        })
    }
}
