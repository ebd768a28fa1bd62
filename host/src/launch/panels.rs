//! What factors panels in operations by many blocks a matrix: clusters, or blocks that do not wait for each other.

use kernels_gpu::entry::{Entry, Variant};
use kernels_gpu::schedule::multi_block::panel;
use kernels_gpu::schedule::multi_block::slab::division::Slabs;
use kernels_gpu::shape::Shape;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;

use crate::error::{Error, Result};

/// The columns of a panel that a cluster factors, the widest first.
const COLUMNS: [u8; 3] = [32, 16, 8];
/// The rows that a lane may hold of a panel.
const LANE_ROWS: [u8; 4] = [1, 2, 4, 8];
/// The rows that a lane may hold of a slab.
const SLAB_LANE_ROWS: [u8; 3] = [1, 2, 4];
/// Columns of a slab at most: wider ones wait less often for the update of what is right of them, but do more of it
/// themselves, with fewer multiprocessors.
const SLAB_COLUMNS: u32 = 128;
/// Blocks that factor panels at the same time at most, if it can be helped: about what a GPU has multiprocessors.
pub(super) const MANY_BLOCKS: u64 = 128;

/// The kernels for panels of matrices of an order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panels {
    /// Columns of a panel that a cluster factors.
    columns: u8,
    /// Clusters, by [`LANE_ROWS`], where there are any.
    clusters: [Option<&'static Entry>; LANE_ROWS.len()],
    /// The same for slabs, by [`SLAB_LANE_ROWS`].
    slabs: [Option<&'static Entry>; SLAB_LANE_ROWS.len()],
    /// Blocks that do not wait for each other, if there may be more rows than clusters have lanes for.
    column: Option<&'static Entry>,
}

impl Panels {
    /// Those that `find` finds: the widest panels by clusters that have lanes for `n` rows, or for most; and what does
    /// the rest.
    pub(super) fn find(n: u32, find: impl Fn(Variant) -> Option<&'static Entry>) -> Option<Self> {
        let slab = |rows| COLUMNS.iter().find_map(|&columns| find(Variant::Slab { rows, columns }));
        let of_width = |columns| Self {
            columns,
            clusters: LANE_ROWS.map(|rows| find(Variant::Panel { rows, columns })),
            slabs: SLAB_LANE_ROWS.map(slab),
            column: None,
        };
        let all = COLUMNS.map(of_width);
        let most = all.iter().map(Self::cluster_rows).max().unwrap_or(0);
        let panels = all.into_iter().find(|panels| panels.cluster_rows() >= n.min(most))?;
        Some(if n > most { Self { column: Some(find(Variant::Column)?), ..panels } } else { panels })
    }

    /// All of them.
    pub(super) fn entries(self) -> impl Iterator<Item = &'static Entry> {
        self.clusters.into_iter().chain(self.slabs).chain([self.column]).flatten()
    }

    /// Columns of a panel that a cluster factors.
    pub(super) fn columns(&self) -> u32 {
        self.columns.into()
    }

    /// The most rows that a cluster has lanes for; 0 without clusters.
    pub(super) fn cluster_rows(&self) -> u32 {
        self.clusters.iter().flatten().map(|entry| entry.variant.largest_order()).max().unwrap_or(0)
    }

    /// Slabs of a type, where a block may have so much shared memory.
    pub(super) fn slabs(&self, kind: ScalarKind, shared_bytes: u32) -> Slabs {
        let lane_rows = std::array::from_fn(|i| self.slabs[i].map_or(0, |_| SLAB_LANE_ROWS[i].into()));
        Slabs { kind, lane_rows, shared_bytes, columns: SLAB_COLUMNS, blocks: 1 }
    }

    /// The kernel for panels of so many rows, and the blocks of a cluster: few rows a lane are faster, more leave room
    /// for the panels of other matrices.
    pub(super) fn panel(&self, rows: u32, batch: u64) -> Result<(&'static Entry, u32)> {
        let mut choices = LANE_ROWS.iter().zip(self.clusters).filter_map(|(&lane_rows, entry)| {
            let blocks = panel::blocks(rows, lane_rows.into());
            entry.filter(|_| blocks <= panel::MAX_BLOCKS).map(|entry| (entry, blocks))
        });
        let leaves_room = |&(_, blocks): &(_, u32)| batch * u64::from(blocks) <= MANY_BLOCKS;
        choices.clone().find(leaves_room).or_else(|| choices.next_back()).ok_or_else(|| missing("panels", rows))
    }

    /// The kernel for a slab of so many rows and columns, and its launch for a matrix.
    pub(super) fn slab(
        &self,
        slabs: &Slabs,
        (rows, columns): (u32, u32),
        batch: u64,
    ) -> Result<(&'static Entry, Shape)> {
        // Products of f32 take so long that more blocks pay, although candidates then come from more of them.
        let is_wide = slabs.kind == ScalarKind::F32;
        let blocks = if is_wide && batch * u64::from(panel::MAX_BLOCKS) <= MANY_BLOCKS { panel::MAX_BLOCKS } else { 1 };
        let found = Slabs { blocks, ..*slabs }.launch(rows, columns);
        let own = |lane_rows| SLAB_LANE_ROWS.iter().zip(self.slabs).find(|(rows, _)| u32::from(**rows) == lane_rows)?.1;
        found.and_then(|(lane_rows, shape)| Some((own(lane_rows)?, shape))).ok_or_else(|| missing("slabs", rows))
    }

    /// The kernel for a column of so many rows, and its launch for a matrix.
    pub(super) fn column(&self, rows: u32) -> Result<(&'static Entry, Shape)> {
        let entry = self.column.ok_or_else(|| missing("columns", rows))?;
        Ok((entry, entry.shape(&Problem { n: rows, batch: 1, rhs: 1 })))
    }
}

fn missing(what: &str, rows: u32) -> Error {
    Error::Unsupported(format!("no kernel takes {what} of {rows} rows"))
}
