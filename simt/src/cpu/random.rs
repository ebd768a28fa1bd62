//! The random numbers that orders are drawn from.

/// Steele, Lea and Flood's generator.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// What a launch's seed makes of a cluster, by the first of its blocks.
    pub(super) fn new(seed: u64, block: u32) -> Self {
        let key = Self(seed).next() ^ u64::from(block);
        Self(Self(key).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Puts a list into another order.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i as u32 + 1) as usize);
        }
    }

    /// Another generator, unlike this one.
    pub(super) fn split(&self) -> Self {
        Self(self.clone().next() ^ 0xD1B5_4A32_D192_ED03)
    }
}
