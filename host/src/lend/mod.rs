//! What calls take: matrices to read and to write, of one size, of many sizes, or held by sources and sinks. A verb is
//! written once for all of them.

mod batch;
mod each;
mod groups;
mod pivots;
mod ragged;
mod turns;
mod values;

pub(crate) use batch::BatchRoom;
pub(crate) use each::{
    check, check_ragged, check_sides, check_squares, each, key_of, of_group, perform, perform_or, square,
};
pub(crate) use groups::Groups;
pub use pivots::PivotsMut;
pub(crate) use values::Values;

use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::operation::Access;
use crate::triangle::Triangle;

/// Square matrices or right-hand sides that a call reads: a [`Batch`](crate::Batch), matrices of many sizes
/// ([`Ragged`](crate::Ragged)), or what a source holds ([`SourceBatch`](crate::out_of_core::SourceBatch)). No other type
/// can be one.
///
/// ```
/// use warplu::{Batch, Device, Input, Ragged, Result};
/// /// How the first matrix fares, of whatever batch.
/// fn first_status<A: Input>(a: &A) -> Result<warplu::Status> {
///     Ok(Device::cpu().invert(a)?.status[0])
/// }
/// assert!(first_status(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?.is_ok());
/// assert!(first_status(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?.is_ok());
/// # Ok::<(), warplu::Error>(())
/// ```
pub trait Input: Lend {
    /// The type of the matrices' elements.
    type Element: Element;
    /// What calls return that is like it: [`Matrices`](crate::Matrices), or
    /// [`RaggedMatrices`](crate::RaggedMatrices) for matrices of many sizes.
    type Owned: Owned;
    /// Their LU factors: [`Lu`](crate::Lu) or [`RaggedLu`](crate::RaggedLu).
    type Lu;
    /// Their Cholesky factors: [`Cholesky`](crate::Cholesky) or [`RaggedCholesky`](crate::RaggedCholesky).
    type Cholesky;

    #[doc(hidden)]
    fn lu(&self, device: &Device) -> Result<Self::Lu>;

    #[doc(hidden)]
    fn cholesky(&self, device: &Device, triangle: Triangle) -> Result<Self::Cholesky>;
}

/// Matrices that a call writes: a [`BatchMut`](crate::BatchMut), a [`RaggedMut`](crate::RaggedMut), or what goes to a
/// sink ([`SinkBatch`](crate::out_of_core::SinkBatch)).
///
/// ```
/// use warplu::{Batch, BatchMut, Device, Input, Output, Result};
/// fn invert<A: Input>(a: &A, to: &mut impl Output<Owned = A::Owned>) -> Result<bool> {
///     Ok(Device::cpu().invert_into(a, to)?.all_ok())
/// }
/// let mut inverse = [0.0; 4];
/// let a = Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
/// assert!(invert(&a, &mut BatchMut::row_major(&mut inverse, 1, 2, 2)?)?);
/// assert_eq!(inverse, [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub trait Output: LendMut {
    /// What a call would return in its place, which says elements and kind.
    type Owned: Owned;
}

/// Matrices that a call reads and then writes: a [`BatchMut`](crate::BatchMut) or a [`RaggedMut`](crate::RaggedMut).
///
/// ```
/// use warplu::{BatchMut, Device, InPlace, Result};
/// fn invert(a: &mut impl InPlace) -> Result<bool> {
///     Ok(Device::cpu().invert_in_place(a)?.all_ok())
/// }
/// let mut a = [2.0, 1.0, 1.0, 1.0];
/// assert!(invert(&mut BatchMut::row_major(&mut a, 1, 2, 2)?)?);
/// assert_eq!(a, [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub trait InPlace: Output {
    /// The type of the matrices' elements.
    type Element: Element;
}

/// Matrices that a call returns: [`Matrices`](crate::Matrices) or [`RaggedMatrices`](crate::RaggedMatrices).
///
/// ```
/// use warplu::{Inverse, Matrices, Owned, RaggedMatrices};
/// fn is_owned<M: Owned>() {}
/// is_owned::<Matrices<f64>>();
/// is_owned::<RaggedMatrices<f32>>();
/// ```
pub trait Owned: Return {
    /// The same with elements of the type of the arithmetic, as factors have them: f32 for 16-bit types.
    type Factors: Owned;
}

/// Whatever may be an operand of a call. The trait has no public name, so no type of others can be one.
pub trait Lend: Sync {
    /// How many matrices there are, and of which sizes.
    fn sizes(&self) -> Sizes<'_>;

    /// Makes the matrices the next port of a call; of matrices of many sizes, those of one size that are `members`.
    ///
    /// # Safety
    /// They are borrowed as long as the call, to be read, or to be written by it alone; what is written in its own place
    /// may also be read by it. Of matrices of many sizes there is one member at least, all are of one size, and for the
    /// CPU of one layout.
    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, members: &[usize], access: Access);
}

/// What may be written as well.
///
/// # Safety
/// A unique reference to it is one to the matrices.
pub unsafe trait LendMut: Lend {}

/// The sizes of matrices, and how their elements lie.
#[derive(Clone, Copy)]
pub enum Sizes<'a> {
    /// So many, all alike.
    One { count: usize, shape: (usize, usize), layout: Layout },
    /// Of many sizes.
    Many(&'a dyn ManySizes),
}

/// Matrices of many sizes.
pub trait ManySizes: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Rows and columns of matrix b, and how its elements lie.
    fn size(&self, b: usize) -> ((usize, usize), Layout);
}

/// What calls return.
pub trait Return: Sized {
    /// Its memory, before anything is written.
    type Room: LendMut;

    /// Room for matrices of the same sizes, which lie alike.
    ///
    /// # Errors
    /// There is too little memory.
    fn room_like(like: &dyn Lend) -> Result<Self::Room>;

    /// The matrices, once they are written.
    ///
    /// # Safety
    /// They are.
    unsafe fn written(room: Self::Room) -> Self;
}

impl Sizes<'_> {
    pub(crate) fn count(&self) -> usize {
        match *self {
            Self::One { count, .. } => count,
            Self::Many(many) => many.count(),
        }
    }

    /// Rows and columns of matrix b.
    pub(crate) fn shape(&self, b: usize) -> (usize, usize) {
        match *self {
            Self::One { shape, .. } => shape,
            Self::Many(many) => many.size(b).0,
        }
    }

    /// How the elements of matrix b lie.
    pub(crate) fn layout(&self, b: usize) -> Layout {
        match *self {
            Self::One { layout, .. } => layout,
            Self::Many(many) => many.size(b).1,
        }
    }

    pub(crate) fn is_ragged(&self) -> bool {
        matches!(self, Self::Many(_))
    }
}

/// An operand, borrowed for a call.
#[derive(Clone, Copy)]
pub(crate) struct Lent<'a> {
    pub(crate) sizes: Sizes<'a>,
    of: &'a dyn Lend,
    access: Access,
}

impl<'a> Lent<'a> {
    /// To be read.
    pub(crate) fn read(of: &'a impl Lend) -> Self {
        Self { sizes: of.sizes(), of, access: Access::Read }
    }

    /// To be written.
    pub(crate) fn write(of: &'a mut impl LendMut) -> Self {
        Self { sizes: of.sizes(), of, access: Access::Write }
    }

    /// To be read, and then to be written.
    pub(crate) fn in_place(of: &'a mut impl LendMut) -> [Self; 2] {
        let read = Self::read(of);
        [read, Self { access: Access::Write, ..read }]
    }

    /// Those of one size that are `members`, of matrices of many.
    pub(crate) fn group(&self, members: &'a [usize]) -> Group<'a> {
        Group { of: self.of, sizes: self.sizes, members }
    }

    /// The columns of each of the matrices, which are of one size.
    pub(crate) fn cols(&self) -> usize {
        self.sizes.shape(0).1
    }

    /// Makes it the next port of a call.
    pub(crate) fn port(&self, call: &mut Call<'a>) {
        // SAFETY: borrowed for 'a, to be read, or by a unique reference to be written, of which each call on a group has
        // its own members; groups have one size and one layout. Each chunk of what is worked on in its place is read
        // before it is written.
        unsafe { self.of.port(call, &[], self.access) }
    }
}

/// Matrices of one size, of many.
pub(crate) struct Group<'a> {
    of: &'a dyn Lend,
    sizes: Sizes<'a>,
    /// Their numbers, of which there is one at least.
    members: &'a [usize],
}

impl Lend for Group<'_> {
    fn sizes(&self) -> Sizes<'_> {
        let (first, count) = (self.members[0], self.members.len());
        Sizes::One { count, shape: self.sizes.shape(first), layout: self.sizes.layout(first) }
    }

    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, _members: &[usize], access: Access) {
        // SAFETY: the caller's promise.
        unsafe { self.of.port(call, self.members, access) };
    }
}
