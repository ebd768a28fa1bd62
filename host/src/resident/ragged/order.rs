//! The order in which a plan works on matrices of many sizes.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::layout::{check_order, product};
use crate::lend::Groups;
use crate::ragged::Shape;
use crate::status::Status;
use crate::statuses::Statuses;

/// The sizes of a plan's matrices, or of its right-hand sides, and the order in which it works on them: by size. Plans
/// whose matrices have the same sizes, in the same order, have the same.
///
/// Statuses are written in this order, too; [`Self::statuses`] has them in that of the matrices.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::RaggedInversePlan;
/// let plan = RaggedInversePlan::<f64>::new(&Device::cpu(), &[2, 9, 2])?;
/// assert_eq!(plan.matrices().order(), [1, 0, 2]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaggedSizes {
    /// The numbers of the matrices, one group after the other.
    order: Arc<[usize]>,
    groups: Arc<[Group]>,
}

/// Matrices of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) shape: Shape,
    /// Its first place in the order.
    pub(super) first: usize,
    /// How many they are.
    pub(super) count: usize,
}

/// Both of a plan.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub(super) matrices: RaggedSizes,
    pub(super) sides: RaggedSizes,
}

impl RaggedSizes {
    /// Matrices.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedInversePlan;
    /// let plan = RaggedInversePlan::<f64>::new(&Device::cpu(), &[2, 9, 2])?;
    /// assert_eq!(plan.matrices().batch(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.order.len()
    }

    /// The number of the matrix at each place.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedInversePlan;
    /// let plan = RaggedInversePlan::<f64>::new(&Device::cpu(), &[2, 9, 2])?;
    /// assert_eq!(plan.matrices().order(), [1, 0, 2]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The statuses of the matrices from codes in the plan's order.
    ///
    /// ```
    /// # use warplu::{Device, Status};
    /// # use warplu::resident::RaggedInversePlan;
    /// let plan = RaggedInversePlan::<f64>::new(&Device::cpu(), &[2, 9, 2])?;
    /// assert_eq!(plan.matrices().statuses(&[0, 0, 1])?, [Status::Ok, Status::Ok, Status::Singular(1)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a code for each matrix.
    pub fn statuses(&self, codes: &[i32]) -> Result<Statuses> {
        if codes.len() != self.batch() {
            return Err(Error::Shape(format!("{} codes are not those of {} matrices", codes.len(), self.batch())));
        }
        let mut statuses = vec![Status::Ok; codes.len()];
        self.order.iter().zip(codes).for_each(|(&b, &code)| statuses[b] = Status::from_code(code));
        Ok(Statuses::new(statuses))
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The sizes of the matrices, by their numbers.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        let mut shapes = vec![Shape::from(0); self.batch()];
        for group in &*self.groups {
            self.order[group.first..][..group.count].iter().for_each(|&b| shapes[b] = group.shape);
        }
        shapes
    }
}

impl Sizes {
    /// Of matrices with these orders and numbers of right-hand sides.
    pub(super) fn new(shapes: &[(usize, usize)]) -> Result<Self> {
        for &(n, rhs) in shapes {
            check_order(n, "rows and columns")?;
            check_order(rhs, "right-hand sides")?;
        }
        let size = |b: usize| shapes[b];
        let groups = Groups::new(shapes.len(), |b| shapes[b], size)?.by_order(&size);
        let order: Arc<[usize]> = groups.as_slice().concat().into();
        let of = |shape: &dyn Fn((usize, usize)) -> Shape| {
            let mut first = 0;
            let group = |group: &Vec<usize>| {
                let (shape, count) = (shape(shapes[group[0]]), group.len());
                product(&[count, shape.rows.max(1), shape.cols.max(1), 16])?;
                first += count;
                Ok(Group { shape, first: first - count, count })
            };
            let groups = groups.as_slice().iter().map(group).collect::<Result<Vec<_>>>()?;
            Ok::<_, Error>(RaggedSizes { order: Arc::clone(&order), groups: groups.into() })
        };
        Ok(Self { matrices: of(&|(n, _)| n.into())?, sides: of(&|sides| sides.into())? })
    }

    /// Whether matrices of one order have one number of right-hand sides.
    pub(super) fn are_by_order(&self) -> bool {
        self.matrices.groups().windows(2).all(|pair| pair[0].shape != pair[1].shape)
    }
}
