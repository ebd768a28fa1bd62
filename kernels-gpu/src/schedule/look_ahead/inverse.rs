//! The kernel: the rounds of the panel warp and of the updating warps.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, warp};

use crate::collective::mma::Mma;
use crate::collective::vote::any_thread;
use crate::operation::InverseArgs;
use crate::schedule::look_ahead::columns::{Columns, spilled_tiles};
use crate::schedule::look_ahead::epilogue::finish;
use crate::schedule::look_ahead::panel::PanelRows;
use crate::schedule::look_ahead::storage::SharedStorage;
use crate::schedule::look_ahead::update::update_next_panel;
use crate::schedule::look_ahead::{NB, panel_warp, sync_jobs, threads, updaters};
use crate::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;

/// The shared memory of a block: the warps' storage, and [`spilled_tiles`].
#[inline(always)]
fn shared_memory<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize>(
    layout: &mut Layout,
) -> (SharedStorage<T, TILES, PANELS>, Shared<T::Real>) {
    (SharedStorage::new(layout), spilled_tiles::<T, TILES, PANELS, HELD>(layout))
}

/// The shape of a launch.
#[must_use]
pub fn shape<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    Shape {
        blocks: problem.batch,
        cluster: 1,
        threads: threads(TILES, PANELS),
        shared_bytes: Layout::bytes(shared_memory::<T, TILES, PANELS, HELD>),
    }
}

/// The body of the kernel for orders up to `16 * TILES`.
#[inline(always)]
pub fn inverse<
    T: Mma,
    const TILES: usize,
    const PANELS: usize,
    const HELD: usize,
    const LANE_ROWS: usize,
    const STRIPS: usize,
>(
    args: InverseArgs<T>,
) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for this layout's bytes; barriers separate what one warp writes from what others read.
    let (shared, spilled) = unsafe { Layout::place(shared_memory::<T, TILES, PANELS, HELD>) };
    shared.initialize();
    if updaters(TILES, PANELS) > 1 && warp::index() == panel_warp(TILES, PANELS) {
        let finite = factor_panels::<T, TILES, PANELS, LANE_ROWS>(&shared, n);
        let _ = any_thread(!finite, shared.flags); // the vote in `finish`
    } else {
        let mut columns = Columns::<T, TILES, PANELS, HELD>::load(&args.a.matrix(b), spilled, n);
        let mut finite = true;
        if updaters(TILES, PANELS) > 1 {
            update::<T, TILES, PANELS, HELD, STRIPS>(&mut columns, &shared, n);
        } else {
            finite = factor_and_update::<T, TILES, PANELS, HELD, LANE_ROWS>(&mut columns, &shared, n);
        }
        finish::<T, TILES, PANELS, HELD, LANE_ROWS>(&mut columns, &shared, &args, b, finite);
    }
}

/// The panel warp's job: factors the panels, one a round. Returns whether all pivots are finite.
#[inline(always)]
fn factor_panels<T: Mma, const TILES: usize, const PANELS: usize, const LANE_ROWS: usize>(
    shared: &SharedStorage<T, TILES, PANELS>,
    n: u32,
) -> bool {
    let mut rows = PanelRows::<T, LANE_ROWS>::new(n);
    sync_jobs(); // panel 0 has been sent
    let mut p = 0;
    while p * (NB as u32) < n {
        rows.load(shared);
        sync_jobs(); // panel p has been loaded
        rows.factor(shared, p, n);
        sync_jobs(); // panel p is factored
        sync_jobs(); // the one in `update_next_panel`
        sync_jobs(); // panel p + 1 is ready
        p += 1;
    }
    rows.finite
}

/// The updating warps' job: applies the factored panels, one a round.
#[inline(always)]
fn update<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize, const STRIPS: usize>(
    columns: &mut Columns<T, TILES, PANELS, HELD>,
    shared: &SharedStorage<T, TILES, PANELS>,
    n: u32,
) {
    columns.send_panel(shared, 0);
    sync_jobs(); // panel 0 has been sent
    let panels = n.div_ceil(NB as u32);
    let mut p = 0;
    loop {
        if p < panels {
            sync_jobs(); // panel p has been loaded
        }
        if p > 0 {
            columns.apply(shared, p - 1);
            columns.receive_panel(shared, p - 1);
        }
        if p == panels {
            return;
        }
        columns.send_panel(shared, p + 1);
        sync_jobs(); // panel p is factored
        update_next_panel::<T, TILES, PANELS, STRIPS>(shared, p);
        sync_jobs(); // panel p + 1 is ready
        p += 1;
    }
}

/// Both jobs by one warp that owns all panels. Returns whether all pivots are finite.
#[inline(always)]
fn factor_and_update<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize, const LANE_ROWS: usize>(
    columns: &mut Columns<T, TILES, PANELS, HELD>,
    shared: &SharedStorage<T, TILES, PANELS>,
    n: u32,
) -> bool {
    let mut rows = PanelRows::<T, LANE_ROWS>::new(n);
    let mut p = 0;
    while p * (NB as u32) < n {
        columns.send_panel(shared, p);
        warp::sync(warp::ALL);
        rows.load(shared);
        rows.factor(shared, p, n);
        warp::sync(warp::ALL);
        columns.apply(shared, p);
        columns.receive_panel(shared, p);
        p += 1;
    }
    rows.finite
}
