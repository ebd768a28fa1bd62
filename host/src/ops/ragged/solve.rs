//! Solution of linear systems of many sizes.

use super::det;
use super::groups::{Groups, layout_key};
use crate::algorithm::Algorithm;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use crate::ops::checks;
use crate::ragged::{Ragged, RaggedMatrices, RaggedMut, Spot, Spots, Unwritten, check_square};
use crate::status::Status;
use crate::statuses::Statuses;

/// The solutions of a ragged batch of linear systems.
///
/// ```
/// use warplu::{Device, Ragged, RaggedSolution};
/// let a = Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
/// let b = Ragged::c_order(&[3.0, 2.0, 8.0], &[(2, 1), (1, 1)])?;
/// let RaggedSolution { x, status } = Device::cpu().solve_ragged(&a, &b)?;
/// assert!(status.all_ok());
/// assert_eq!(x.as_slice(), [1.0, 1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct RaggedSolution<T: Element> {
    /// X, of the sizes of the right-hand sides and laid out as these were; NaN as in [`Solution`](crate::Solution).
    pub x: RaggedMatrices<T>,
    /// How each matrix fared, and its solutions: [`Status::SideNotFinite`] where one of these is not finite.
    pub status: Statuses,
}

impl Device {
    /// Solves A X = B for each matrix of a ragged batch and its right-hand sides, which may differ in number, too; see
    /// [`Device::solve`].
    ///
    /// ```
    /// use warplu::{Device, Ragged};
    /// let a = Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let b = Ragged::c_order(&[3.0, 2.0, 8.0, 4.0], &[(2, 1), (1, 2)])?; // one for the first, two for the second
    /// let x = Device::cpu().solve_ragged(&a, &b)?.x;
    /// assert_eq!((x.matrix(0), x.matrix(1)), (&[1.0, 1.0][..], &[2.0, 1.0][..]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a matrix is not square or `b` does not fit them; a device's errors. A
    /// singular matrix is no error: its status says so and its solution is all NaN.
    pub fn solve_ragged<T: Element>(&self, a: &Ragged<'_, T>, b: &Ragged<'_, T>) -> Result<RaggedSolution<T>> {
        let mut x = Unwritten::like(&b.spots)?;
        let to = x.spots();
        // SAFETY: what is read is borrowed, and nobody else knows what is written.
        let codes = unsafe { solve(self, &a.spots, (&b.spots, &to))? };
        // SAFETY: every solution has been written.
        Ok(RaggedSolution { x: unsafe { x.written() }, status: Statuses::from_codes(&codes) })
    }

    /// As [`Device::solve_ragged`], into memory of the caller's.
    ///
    /// ```
    /// use warplu::{Device, Ragged, RaggedMut, Status};
    /// let a = Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let b = Ragged::c_order(&[3.0, 2.0, 8.0], &[(2, 1), (1, 1)])?;
    /// let (mut x, mut status) = ([0.0; 3], [Status::Ok; 2]);
    /// Device::cpu().solve_ragged_into(&a, &b, &mut RaggedMut::c_order(&mut x, &[(2, 1), (1, 1)])?, &mut status)?;
    /// assert_eq!(x, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve_ragged`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the inputs' sizes.
    /// After an error of the device, the output is partly written.
    pub fn solve_ragged_into<T: Element>(
        &self,
        a: &Ragged<'_, T>,
        b: &Ragged<'_, T>,
        x: &mut RaggedMut<'_, T>,
        status: &mut [Status],
    ) -> Result<()> {
        checks::ragged_output(&x.spots, &b.spots)?;
        checks::length(status, a.batch(), "statuses")?;
        // SAFETY: all are borrowed, and outputs are apart from each other.
        checks::hand_over(&unsafe { solve(self, &a.spots, (&b.spots, &x.spots))? }, status);
        Ok(())
    }

    /// As [`Device::solve_ragged`], each solution in the place of its right-hand sides.
    ///
    /// ```
    /// use warplu::{Device, Ragged, RaggedMut, Status};
    /// let a = Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let (mut b, mut status) = ([3.0, 2.0, 8.0], [Status::Ok; 2]);
    /// let mut x = RaggedMut::c_order(&mut b, &[(2, 1), (1, 1)])?;
    /// Device::cpu().solve_ragged_in_place(&a, &mut x, &mut status)?;
    /// assert_eq!(b, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve_ragged_into`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_ragged_in_place<T: Element>(
        &self,
        a: &Ragged<'_, T>,
        b: &mut RaggedMut<'_, T>,
        status: &mut [Status],
    ) -> Result<()> {
        checks::length(status, a.batch(), "statuses")?;
        // SAFETY: both are borrowed, and right-hand sides are apart from each other.
        checks::hand_over(&unsafe { solve(self, &a.spots, (&b.spots, &b.spots))? }, status);
        Ok(())
    }
}

impl<T: Element> RaggedSolution<T> {
    /// The solutions, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let (a, b) = (Ragged::c_order(&[0.0, 4.0], &[1, 1])?, Ragged::c_order(&[1.0, 1.0], &[1, 1])?);
    /// assert!(Device::cpu().solve_ragged(&a, &b)?.check().is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<RaggedMatrices<T>> {
        self.status.check().map(|()| self.x)
    }
}

/// Solves systems and returns their status codes; `x` may be `b`.
///
/// # Safety
/// Matrices are there, and nobody else touches them. Those of `x` are apart from each other and from all others but for
/// their own right-hand sides.
unsafe fn solve<T: Element>(device: &Device, a: &[Spot<T>], (b, x): (&[Spot<T>], &[Spot<T>])) -> Result<Vec<i32>> {
    check_square(a)?;
    checks::ragged_right_hand_sides(b, a.len(), |i| a[i].shape.rows)?;
    device.check_algorithm()?;
    let size = |i: usize| (b[i].shape.rows, b[i].shape.cols);
    let key = |i: usize| {
        let layouts = (layout_key(device, &a[i]), layout_key(device, &b[i]), layout_key(device, &x[i]));
        (size(i), layouts)
    };
    let groups = Groups::new(a.len(), key, size)?;
    let bytes = |i: usize| size(i).0 * (size(i).0 + 2 * size(i).1) * size_of::<T>();
    let codes = groups.each(device, bytes, |members| {
        // SAFETY: the caller's promise.
        let (a, b, x) = unsafe { (Spots::of(a, members), Spots::of(b, members), Spots::of(x, members)) };
        let (n, rhs) = (b.shape().rows, b.shape().cols);
        if rhs == 0 {
            // How the matrices fare where there is nothing to solve for.
            let det = det::of_group(&device.clone().with_algorithm(Algorithm::Auto), &a)?;
            return Ok(det.status.iter().map(|status| status.code()).collect());
        }
        let mut call = Call::new(device, members.len());
        call.gather(&a);
        call.gather(&b);
        call.scatter(&x);
        call.perform(&operation::solve::<T>(), Size { n, rhs })
    })?;
    groups.in_order(&codes, 0)
}
