//! Which warp has which strips.
//!
//! Four strips in a row are in one block, as it takes less time to tell a warp of one's own block than another block.
//! To and fro, so that later strips, which have more to read, are spread evenly, and the next four often are there
//! too:
//!
//! ```text
//! block      0            1            2            3
//! strips     0 1 2 3      4 5 6 7      8 9 .. 11    12 .. 15
//!            28 .. 31     24 .. 27     20 .. 23     16 .. 19
//! ```

use simt::{block, cluster, warp};

use crate::shape::quotient;

/// Rows of a strip: one a lane.
pub const STRIP: u32 = warp::SIZE;
/// Strips in a row that are in one block.
pub const RUN: u32 = 4;

/// The strips of a matrix, among the warps of a cluster.
#[derive(Clone, Copy)]
pub struct Strips {
    /// How many they are.
    pub count: u32,
    blocks: u32,
    rank: u32,
}

impl Strips {
    /// Those of a matrix of order `n`.
    #[inline(always)]
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self { count: n.div_ceil(STRIP), blocks: cluster::size(), rank: cluster::rank() }
    }

    /// Whether strip `s` is one of this block's.
    #[inline(always)]
    #[must_use]
    pub fn is_own(&self, s: u32) -> bool {
        let run = s / RUN;
        let round = quotient(run, self.blocks);
        run - round * self.blocks == self.place(round, self.rank)
    }

    /// The first strip of a block, or one beyond the last.
    #[inline(always)]
    #[must_use]
    pub fn first_of(&self, block: u32) -> u32 {
        block * RUN
    }

    /// The last strip of a block; 0 if it has none.
    #[inline(always)]
    #[must_use]
    pub fn last_of(&self, block: u32) -> u32 {
        let runs = self.count.div_ceil(RUN);
        let rounds = quotient(runs, self.blocks); // of which all blocks have one
        let of_round = |round: u32| round * self.blocks + self.place(round, block);
        let run = match (of_round(rounds) < runs, rounds) {
            (true, _) => of_round(rounds),
            (_, 0) => return 0,
            _ => of_round(rounds - 1),
        };
        let last = run * RUN + RUN - 1;
        if last < self.count { last } else { self.count - 1 }
    }

    /// Calls `f` with each strip of this warp, the last one first if `is_backward`. There may be none.
    #[inline(always)]
    pub fn each(&self, is_backward: bool, mut f: impl FnMut(u32)) {
        let warps = block::dim() / warp::SIZE;
        let mut own = 0;
        while self.nth(warp::index() + own * warps) < self.count {
            own += 1;
        }
        let mut i = 0;
        while i < own {
            f(self.nth(warp::index() + if is_backward { own - 1 - i } else { i } * warps));
            i += 1;
        }
    }

    /// The block's `i`-th strip, or one beyond the last.
    #[inline(always)]
    fn nth(&self, i: u32) -> u32 {
        let round = i / RUN;
        (round * self.blocks + self.place(round, self.rank)) * RUN + i % RUN
    }

    /// Which of the cluster's runs of a round is a block's.
    #[inline(always)]
    fn place(&self, round: u32, block: u32) -> u32 {
        if round.is_multiple_of(2) { block } else { self.blocks - 1 - block }
    }
}
