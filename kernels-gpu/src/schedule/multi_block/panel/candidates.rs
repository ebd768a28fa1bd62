//! What a candidate is, in memory and in registers, and the choice of the largest of several.

use simt::shared::{Shared, Vector};
use simt::warp;

use crate::collective::mma::Mma;
use crate::collective::pivot::{Key, Ties, largest};
use crate::schedule::multi_block::pivot::Pivot;

/// A candidate of a lane, a warp, a block; at last the pivot.
#[derive(Clone, Copy)]
pub struct Candidate<T> {
    /// The first of its [`words`](crate::schedule::multi_block::pivot::words); 0 if there is no candidate,
    /// whatever the rest says.
    pub word: u32,
    /// The second one.
    pub lower: u32,
    /// Its position.
    pub position: u32,
    /// Where its row is in shared memory.
    pub place: Place,
    /// Itself.
    pub value: T,
    /// Its reciprocal, where its magnitude is moderate.
    pub reciprocal: T,
    /// The element right of it, before the update by the column before.
    pub next: T,
    /// Its row's multiplier in that update.
    pub multiplier: T,
}

/// A block of the cluster, and which of its rows.
#[derive(Clone, Copy)]
pub struct Place(pub u32);

impl Place {
    /// Row `index`, below 2^16, of the block of this rank.
    #[inline(always)]
    pub fn new(rank: u32, index: u32) -> Self {
        Self(rank << 16 | index)
    }

    /// The rank of the block.
    #[inline(always)]
    pub fn block(self) -> u32 {
        self.0 >> 16
    }

    /// The row.
    #[inline(always)]
    pub fn index(self) -> u32 {
        self.0 & 0xffff
    }
}

/// Words of a candidate in memory: four that say which it is, and four numbers.
#[must_use]
pub const fn candidate_words<T>() -> u32 {
    4 + size_of::<T>() as u32
}

impl<T: Mma> Candidate<T> {
    /// The same, once it is the pivot.
    #[inline(always)]
    pub fn as_pivot(&self) -> Pivot<T> {
        Pivot { position: self.position, value: self.value, reciprocal: self.reciprocal }
    }

    /// What tells all candidates apart, and orders them as LAPACK does.
    #[inline(always)]
    pub fn key(&self) -> Key {
        (self.word, self.lower, Ties::First.rank(self.position))
    }

    /// `self`, or the other candidate where `is_better`. Field by field: LLVM else makes an index of which of a lane's
    /// rows it is.
    #[inline(always)]
    #[must_use]
    pub fn or(self, other: Self, is_better: bool) -> Self {
        Self {
            word: if is_better { other.word } else { self.word },
            lower: if is_better { other.lower } else { self.lower },
            position: if is_better { other.position } else { self.position },
            place: Place(if is_better { other.place.0 } else { self.place.0 }),
            value: if is_better { other.value } else { self.value },
            reciprocal: if is_better { other.reciprocal } else { self.reciprocal },
            next: if is_better { other.next } else { self.next },
            multiplier: if is_better { other.multiplier } else { self.multiplier },
        }
    }

    /// Writes it to memory: shape ([`candidate_words`]).
    #[inline(always)]
    pub fn store(&self, slot: Shared<u32>) {
        slot.vectors::<4>().store(0, Vector([self.word, self.lower, self.position, self.place.0]));
        T::store_row(slot.offset(4).cast(), &[self.value, self.reciprocal, self.next, self.multiplier], 0);
    }

    /// Reads it.
    #[inline(always)]
    pub fn load(slot: Shared<u32>) -> Self {
        let Vector([word, lower, position, place]) = slot.vectors::<4>().load(0);
        let [value, reciprocal, next, multiplier] = T::load_row(slot.offset(4).cast(), 0);
        Self { word, lower, position, place: Place(place), value, reciprocal, next, multiplier }
    }
}

/// Whether two bits or more are set.
#[inline(always)]
pub fn are_several(bits: u32) -> bool {
    bits & bits.wrapping_sub(1) != 0
}

/// The largest of `count` candidates in memory, at most 32: which one it is, and what `read` finds there. By each warp.
///
/// One maximum tells which one it is, for its last bits are the candidate's number; what is there is read before it is
/// sure that the other bits were enough.
#[inline(always)]
pub fn largest_of<T, V>(slots: Shared<u32>, count: u32, read: impl Fn(Shared<u32>) -> V) -> (u32, V) {
    const NUMBERS: u32 = 31;
    let lane = warp::lane();
    let slot = |i: u32| slots.offset(i * candidate_words::<T>());
    let Vector([word, lower, position, _]) =
        if lane < count { slot(lane).vectors::<4>().load(0) } else { Vector([0; 4]) };
    let packed = if word == 0 { 0 } else { word & !NUMBERS | lane };
    let best = warp::max_u32(warp::ALL, packed);
    let number = best & NUMBERS;
    let found = read(slot(number));
    let close = warp::ballot(warp::ALL, (packed ^ best) <= NUMBERS);
    warp::sync(warp::ALL); // else LLVM reads where it is sure
    if best != 0 && are_several(close) {
        let key = (word, lower, Ties::First.rank(position));
        let number = warp::ballot(warp::ALL, key == largest(key)).trailing_zeros();
        return (number, read(slot(number)));
    }
    (number, found)
}
