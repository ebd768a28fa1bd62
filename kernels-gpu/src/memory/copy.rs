//! Copies between views by all threads of a block.

use simt::{Pod, block, warp};

use numbers::matrix::View;

/// Copies `rows` x `cols` elements. The lanes of a warp take successive rows if `rows_first`, else successive columns.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn copy<T: Pod>(from: &impl View<T>, to: &impl View<T>, rows: u32, cols: u32, rows_first: bool) {
    let (fast, slow) = if rows_first { (rows, cols) } else { (cols, rows) };
    let mut s = warp::index();
    while s < slow {
        let mut f = warp::lane();
        while f < fast {
            let (i, j) = if rows_first { (f, s) } else { (s, f) };
            to.store(i, j, from.load(i, j));
            f += warp::SIZE;
        }
        s += block::dim() / warp::SIZE;
    }
}
