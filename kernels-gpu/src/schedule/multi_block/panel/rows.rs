//! A lane's rows of the panel: the elimination of a column.
//!
//! A column waits for the update by the pivot row before it, and no more: of that update, the next column gets its part
//! at once, and offers its candidates; the other columns get theirs while these travel through the cluster.

use simt::shared::Shared;
use simt::{thread, warp};

use crate::collective::mma::Mma;
use crate::schedule::multi_block::panel::candidates::{Candidate, Place};
use crate::schedule::multi_block::panel::exchange::{Exchange, Own};
use crate::schedule::multi_block::pivot;
use crate::schedule::multi_block::product::Rows;
use crate::schedule::multi_block::share::Share;

/// A lane's rows of a panel.
pub struct PanelRows<T, const NB: usize, const LANE_ROWS: usize> {
    /// Which rows the block has.
    share: Share,
    /// Where they are in shared memory.
    places: Rows<T>,
    /// Their elements after the current column, which lack the update by it; before the first column all elements.
    pub x: [[T; NB]; LANE_ROWS],
    /// Their elements in the current column, up to date.
    current: [T; LANE_ROWS],
    /// Their elements of L in the column before; of its pivot row, the pivot.
    l: [T; LANE_ROWS],
    /// Where LAPACK's interchanges have moved them by now.
    positions: [u32; LANE_ROWS],
    /// The candidate for the current column that this block sent, or this warp.
    own: Own,
    /// The element after the current column of the pivot row before.
    u: T,
}

impl<T: Mma, const NB: usize, const LANE_ROWS: usize> PanelRows<T, NB, LANE_ROWS> {
    /// Those of a share, where no interchange has moved them.
    #[inline(always)]
    pub fn new(share: Share, places: Rows<T>) -> Self {
        let mut rows = Self {
            share,
            places,
            x: [[T::ZERO; NB]; LANE_ROWS],
            current: [T::ZERO; LANE_ROWS],
            l: [T::ZERO; LANE_ROWS],
            positions: [0; LANE_ROWS],
            own: Own { warp: 0, position: 0 },
            u: T::ZERO,
        };
        for r in 0..LANE_ROWS {
            rows.positions[r] = share.position(rows.index(r));
        }
        rows
    }

    /// Takes the panel that begins at this column of its rows in shared memory.
    #[inline(always)]
    pub fn load(&mut self, column: u32) {
        (self.l, self.u) = ([T::ZERO; LANE_ROWS], T::ZERO); // no column is before
        for r in 0..LANE_ROWS {
            if self.share.position(self.index(r)) < self.share.end {
                self.x[r] = T::load_row(self.row(self.index(r), column), 0);
            }
        }
    }

    /// Row `i` of the block's, from a column on.
    #[inline(always)]
    fn row(&self, i: u32, column: u32) -> Shared<T> {
        self.places.part(i, column).first
    }

    /// Which of the block's rows row `r` of the lane is.
    #[inline(always)]
    fn index(&self, r: usize) -> u32 {
        r as u32 * self.share.lanes + thread::index()
    }

    /// Whether row `r` is one of the candidates from position `first` on.
    #[inline(always)]
    fn is_candidate(&self, r: usize, first: u32) -> bool {
        self.positions[r].wrapping_sub(first) < self.share.end - first
    }

    /// Makes column 0 of the panel that begins at column `k` the current one.
    #[inline(always)]
    pub fn begin<const BY_WARP: bool>(&mut self, exchange: &Exchange<T, NB, BY_WARP>, k: u32) {
        let mut words = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            self.current[r] = self.x[r][0];
            words[r] = self.word(r, self.is_candidate(r, k));
        }
        self.send_candidate(exchange, &words, 0);
        for r in 0..LANE_ROWS {
            for i in 1..NB {
                self.x[r][i - 1] = self.x[r][i];
            }
        }
    }

    /// Makes column `c + 1` the current one, of at most `LEFT`. Returns the pivot of column `c`, and who sent it.
    #[inline(always)]
    pub fn advance<const LEFT: usize, const BY_WARP: bool>(
        &mut self,
        exchange: &Exchange<T, NB, BY_WARP>,
        k: u32,
        c: u32,
    ) -> (u32, Candidate<T>) {
        self.send_row::<LEFT, BY_WARP>(exchange, c);
        let (sender, pivot) = exchange.pivot(c, &self.own);
        self.l = pivot.as_pivot().divide(self.current);
        let next = pivot.next.sub_mul(pivot.multiplier, self.u);
        let mut words = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            self.current[r] = self.x[r][0].sub_mul(self.l[r], next);
            let is_left = self.is_candidate(r, k + c) && self.positions[r] != pivot.position;
            words[r] = self.word(r, is_left);
        }
        self.interchange(&pivot, k + c);
        self.send_candidate(exchange, &words, c + 1);
        (sender, pivot)
    }

    /// Updates the columns after that, of which there are fewer than `LEFT`, by column `c`, whose pivot is in the row
    /// of this sender and place; and puts this column where the factored panel is in shared memory.
    #[inline(always)]
    pub fn update<const LEFT: usize, const BY_WARP: bool>(
        &mut self,
        exchange: &Exchange<T, NB, BY_WARP>,
        (k, column, c): (u32, u32, u32),
        (sender, place): (u32, Place),
    ) {
        self.store_l((k, column), c);
        exchange.wait_for_rows(c);
        let row = exchange.row(c, sender);
        let u: [T; LEFT] = T::load_row(row, 0);
        for r in 0..LANE_ROWS {
            for i in 1..LEFT {
                self.x[r][i - 1] = self.x[r][i].sub_mul(self.l[r], u[i]);
            }
        }
        self.u = u[1];
        let right = c + 1 + warp::lane();
        if place.block() == self.share.rank && warp::index() == 0 && right < NB as u32 {
            self.row(place.index(), column).store(right, row.load(warp::lane()));
        }
    }

    /// Ends with column `c`, the last, and returns its pivot.
    #[inline(always)]
    pub fn end<const BY_WARP: bool>(
        &mut self,
        exchange: &Exchange<T, NB, BY_WARP>,
        (k, column): (u32, u32),
        c: u32,
    ) -> Candidate<T> {
        let (_, pivot) = exchange.pivot(c, &self.own);
        self.l = pivot.as_pivot().divide(self.current);
        self.interchange(&pivot, k + c);
        self.store_l((k, column), c);
        pivot
    }

    /// Interchanges the pivot row and the one at position `first`. From then on, the former's element of L is the
    /// pivot.
    #[inline(always)]
    fn interchange(&mut self, pivot: &Candidate<T>, first: u32) {
        for r in 0..LANE_ROWS {
            let is_pivot = self.positions[r] == pivot.position;
            self.positions[r] = pivot.as_pivot().interchange(self.positions[r], first);
            self.l[r] = if is_pivot { pivot.value } else { self.l[r] };
        }
    }

    /// What row `r`'s element in the current column is first compared by.
    #[inline(always)]
    fn word(&self, r: usize, is_candidate: bool) -> u32 {
        if is_candidate { pivot::words(self.current[r]).0 } else { 0 }
    }

    /// Sends this block's candidate for column `c`, the current one, or this warp's.
    #[inline(always)]
    fn send_candidate<const BY_WARP: bool>(
        &mut self,
        exchange: &Exchange<T, NB, BY_WARP>,
        words: &[u32; LANE_ROWS],
        c: u32,
    ) {
        let (mut word, mut value) = (words[0], self.current[0]);
        for r in 1..LANE_ROWS {
            value = if words[r] > word { self.current[r] } else { value };
            word = if words[r] > word { words[r] } else { word };
        }
        let holder = |word: u32| {
            let (mut own, mut is_held) = (self.candidate(0, words), words[0] == word);
            let mut is_tied = false;
            for r in 1..LANE_ROWS {
                is_tied |= is_held && words[r] == word;
                is_held |= words[r] == word;
                own = own.or(self.candidate(r, words), words[r] == word);
            }
            (own, is_tied)
        };
        let exact = || {
            let mut best = self.candidate(0, words);
            for r in 1..LANE_ROWS {
                let own = self.candidate(r, words);
                best = best.or(own, own.key() > best.key());
            }
            best
        };
        exchange.offer(c, (word, value), holder, exact);
        self.own = exchange.send(c);
    }

    /// Row `r`'s candidate, without its reciprocal.
    #[inline(always)]
    fn candidate(&self, r: usize, words: &[u32; LANE_ROWS]) -> Candidate<T> {
        Candidate {
            word: words[r],
            lower: pivot::words(self.current[r]).1,
            position: self.positions[r],
            place: Place::new(self.share.rank, self.index(r)),
            value: self.current[r],
            reciprocal: T::ZERO,
            next: self.x[r][1],
            multiplier: self.l[r],
        }
    }

    /// Puts the elements of L in column `c`, and its pivot, where the factored panel is in shared memory.
    #[inline(always)]
    fn store_l(&self, (k, column): (u32, u32), c: u32) {
        for r in 0..LANE_ROWS {
            if self.is_candidate(r, k + c) {
                self.row(self.index(r), column).store(c, self.l[r]);
            }
        }
    }

    /// Sends the row of that candidate, from the next column on.
    #[inline(always)]
    fn send_row<const LEFT: usize, const BY_WARP: bool>(&self, exchange: &Exchange<T, NB, BY_WARP>, c: u32) {
        let own = self.own;
        if BY_WARP || warp::index() == own.warp {
            exchange.send_row::<LEFT>(c, |to| {
                for r in 0..LANE_ROWS {
                    // By the position, which differs from lane to lane: LLVM would make an index of the row's number.
                    if self.positions[r] == own.position {
                        let mut row = [T::ZERO; LEFT];
                        row.copy_from_slice(&self.x[r][..LEFT]);
                        T::store_row(to, &row, 0);
                    }
                }
            });
        }
    }

    /// Calls `f` with each row of the block that the lane holds, and its position.
    #[inline(always)]
    pub fn each(&self, mut f: impl FnMut(u32, u32)) {
        for r in 0..LANE_ROWS {
            if self.share.position(self.index(r)) < self.share.end {
                f(self.index(r), self.positions[r]);
            }
        }
    }
}
