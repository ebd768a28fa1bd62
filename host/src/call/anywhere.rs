//! Matrices of one size that lie anywhere, as the compact ones that chunks are.

use simt::Pod;

use super::Call;
use super::chunk::Handle;
use super::place::{Drain, Feed, Place, Staged};
use super::strided::Places;
use crate::element::bytes_of;
use crate::error::Result;
use crate::layout::Layout;
use crate::operation::Access;
use crate::ragged::Spot;

impl<'a> Call<'a> {
    /// Matrices of one size to read, or to write, of which there are some. The CPU works where they lie if all are of one
    /// layout, else on copies.
    ///
    /// # Safety
    /// They are there, and borrowed for that as long as the call is.
    pub(crate) unsafe fn anywhere<T: Pod>(&mut self, spots: Vec<Spot<T>>, access: Access) -> Handle {
        debug_assert_eq!(spots.len(), self.batch);
        let (shape, layout, compact) = (spots[0].shape, spots[0].layout(), spots[0].compact());
        let (rows, cols) = (shape.rows, shape.cols);
        let is_one_layout = || spots.iter().all(|spot| spot.layout() == layout);
        if !self.device.has_own_memory() && !self.is_strided && is_one_layout() {
            let addresses = spots.iter().map(|spot| spot.start.expose_provenance() as u64).collect();
            return self.push::<T>(Place::Addresses(addresses), 0, (rows, cols), layout);
        }
        let anywhere = Box::new(Anywhere::new(spots, compact));
        match access {
            Access::Read => self.feed::<T>(anywhere, rows, cols, compact),
            Access::Write => self.drain::<T>(anywhere, rows, cols, compact),
        }
    }
}

impl<'a> Call<'a> {
    /// Values to write, as many for each matrix, of which there are some. The CPU, which finds values one after the other
    /// only, works on a copy of them.
    ///
    /// # Safety
    /// There is room for them, borrowed for that as long as the call is.
    pub(crate) unsafe fn values_anywhere<T: Pod>(&mut self, spots: Vec<Spot<T>>) -> Handle {
        let (each, layout) = (spots[0].shape.rows, spots[0].compact());
        if let [spot] = spots[..]
            && !self.device.has_own_memory()
        {
            return self.own::<T>(spot.start.cast(), (each, 1), layout);
        }
        if self.device.has_own_memory() {
            // SAFETY: the caller's promise.
            return unsafe { self.anywhere(spots, Access::Write) };
        }
        debug_assert!(align_of::<T>() <= align_of::<u64>());
        let staged = Staged::new(each * size_of::<T>(), Box::new(Anywhere::new(spots, layout)));
        self.push::<T>(Place::Staged(Box::new(staged)), 0, (each, 1), layout)
    }
}

/// Matrices of the caller. Each chunk is read, if at all, before it is written.
struct Anywhere<T> {
    spots: Vec<Spot<T>>,
    compact: Layout,
    each: usize, // elements of a matrix, of which there are some
}

impl<T: Pod> Anywhere<T> {
    fn new(spots: Vec<Spot<T>>, compact: Layout) -> Self {
        debug_assert!(spots.iter().all(|spot| spot.shape == spots[0].shape));
        Self { each: spots[0].shape.len(), spots, compact }
    }

    /// Cuts `len` elements from number `first` on into parts of one matrix each: the matrix, its first element in the
    /// compact order, and which of the `len` elements they are.
    fn parts(&self, first: usize, len: usize) -> impl Iterator<Item = (&Spot<T>, usize, std::ops::Range<usize>)> {
        let mut done = 0;
        std::iter::from_fn(move || {
            (done < len).then(|| {
                let (b, k) = ((first + done) / self.each, (first + done) % self.each);
                let part = done..len.min(done + self.each - k);
                done = part.end;
                (&self.spots[b], k, part)
            })
        })
    }

    /// Where the elements of a matrix are, in the compact order from number `first` on.
    fn places(&self, spot: &Spot<T>, first: usize) -> Places {
        Places::new(spot.layout(), self.compact, spot.shape.rows, spot.shape.cols, first)
    }

    /// Whether a matrix lies as the compact ones.
    fn lies_so(&self, spot: &Spot<T>) -> bool {
        spot.is_compact() && spot.compact() == self.compact
    }
}

impl<T: Pod> Feed for Anywhere<T> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        let size = size_of::<T>();
        for (spot, k, part) in self.parts(first / size, to.len() / size) {
            let to = &mut to[part.start * size..part.end * size];
            if self.lies_so(spot) {
                let from = spot.start.wrapping_add(k).cast::<u8>();
                // SAFETY: elements of a matrix that is borrowed to be read, of which no other worker writes those of
                // this chunk.
                unsafe { from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
                continue;
            }
            for (to, place) in to.chunks_exact_mut(size).zip(self.places(spot, k)) {
                // SAFETY: as above.
                let element = unsafe { spot.start.wrapping_add(place).read() };
                to.copy_from_slice(bytes_of(&[element]));
            }
        }
        Ok(())
    }
}

impl<T: Pod> Drain for Anywhere<T> {
    fn write(&self, first: usize, from: &[u8]) -> Result<()> {
        let size = size_of::<T>();
        for (spot, k, part) in self.parts(first / size, from.len() / size) {
            let from = &from[part.start * size..part.end * size];
            if self.lies_so(spot) {
                let to = spot.start.wrapping_add(k).cast::<u8>();
                // SAFETY: elements of a matrix that is borrowed to be written, of which no other worker touches those
                // of this chunk.
                unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
                continue;
            }
            for (from, place) in from.chunks_exact(size).zip(self.places(spot, k)) {
                let to = spot.start.wrapping_add(place).cast::<u8>();
                // SAFETY: as above.
                unsafe { to.copy_from_nonoverlapping(from.as_ptr(), size) };
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::bytes_of_mut;
    use crate::{Ragged, RaggedMut};

    /// Any range of matrices that lie in several ways is read and written.
    #[test]
    fn any_range_is_gathered_and_scattered() {
        let (rows, cols) = (3, 2);
        let data: Vec<f32> = (0..100).map(|x| x as f32).collect();
        let strides = [(2, 1), (1, 3), (7, 2), (1, 10)];
        let layout = |b: usize| Layout { batch_stride: 0, row_stride: strides[b].0, col_stride: strides[b].1 };
        let (shapes, offsets, members) = ([(rows, cols); 4], [80, 3, 10, 40], [3, 0, 2, 1]);
        let all = Ragged::strided(&data, &shapes, &offsets, layout).unwrap();
        let mut back = vec![-1.0_f32; 100];
        let mut written = RaggedMut::strided(&mut back, &shapes, &offsets, layout).unwrap();
        for compact in [Layout::row_major(rows, cols), Layout::column_major(rows, cols)] {
            let of = |spots: &[Spot<f32>]| Anywhere::new(members.iter().map(|&b| spots[b]).collect(), compact);
            let (from, to) = (of(&all.spots), of(&written.spots));
            let mut whole = vec![0.0_f32; 24];
            from.read(0, bytes_of_mut(&mut whole)).unwrap();
            for (place, &b) in members.iter().enumerate() {
                for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
                    assert_eq!(whole[6 * place + compact.at(0, i, j)], all.get(b, i, j));
                }
            }
            for first in (0..24).step_by(5) {
                let end = 24.min(first + 5);
                let mut part = vec![0.0_f32; end - first];
                from.read(4 * first, bytes_of_mut(&mut part)).unwrap();
                assert_eq!(part, whole[first..end]);
                to.write(4 * first, bytes_of(&part)).unwrap();
                part.fill(0.0);
                to.read(4 * first, bytes_of_mut(&mut part)).unwrap();
                assert_eq!(part, whole[first..end]);
            }
        }
        written.spots.clear();
        assert_eq!(back.iter().filter(|&&x| x >= 0.0).count(), 24);
        assert!(back.iter().zip(&data).all(|(back, x)| *back < 0.0 || back == x));
    }
}
