//! The driver of operations on whatever is lent: matrices of many sizes go in groups of one size each, which are batches
//! like any other.

use super::groups::Groups;
use super::{Lent, Sizes};
use crate::batch::order;
use crate::call::Call;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::operation::{Extent, Operand, Operation, Size};
use crate::statuses::Statuses;

/// Does an operation on its operands, all but the statuses, which are returned.
///
/// # Errors
/// [`Error::Shape`] if an operand does not fit the others; a device's errors. After these, outputs are partly written.
pub(crate) fn perform(device: &Device, operation: &Operation, lent: &[Lent<'_>]) -> Result<Statuses> {
    perform_or(device, operation, lent, None)
}

/// Finds the status codes of matrices.
type FindCodes = fn(&Device, Lent<'_>) -> Result<Vec<i32>>;

/// The same for solutions: matrices without right-hand sides have the status codes that `without_sides` finds.
pub(crate) fn perform_or(
    device: &Device,
    operation: &Operation,
    lent: &[Lent<'_>],
    without_sides: Option<FindCodes>,
) -> Result<Statuses> {
    let without_sides = |size: Size| without_sides.filter(|_| size.rhs == 0);
    if let Some(size) = one_size(operation.operands, lent)?
        && without_sides(size).is_none()
    {
        return Call::on(device, (operation, size), lent)?.statuses(operation, size);
    }
    let codes = each(device, operation.operands, lent, 0, &|lent, size| {
        let call = Call::on(device, (operation, size), lent)?;
        without_sides(size).map_or_else(|| call.perform(operation, size), |find| find(device, lent[0]))
    })?;
    Ok(Statuses::from_codes(&codes))
}

/// What is done with operands of one size: it returns a result for each matrix.
type Work<'w, R> = &'w (dyn Fn(&[Lent<'_>], Size) -> Result<Vec<R>> + Sync);

/// Does some work on operands of one size, or on each group of such, several at once. Matrices of no group have `other`.
/// Operands of many sizes fit each other; whether those of one size do, the work checks.
///
/// # Errors
/// [`Error::Shape`] if matrices are not square, or an operand does not fit the others; what the work returns.
pub(crate) fn each<R: Copy + Send>(
    device: &Device,
    operands: &[Operand],
    lent: &[Lent<'_>],
    other: R,
    work: Work<'_, R>,
) -> Result<Vec<R>> {
    if let Some(size) = one_size(operands, lent)? {
        return work(lent, size);
    }
    device.check_algorithm()?;
    check(operands, lent)?;
    let size = |b: usize| {
        let Size { n, rhs } = size_of(operands, lent, b);
        (n, rhs)
    };
    let groups = Groups::new(lent[0].sizes.count(), |b| (size(b), key_of(device, lent, b)), size)?;
    let bytes = |b: usize| {
        let each = |(operand, lent): (&Operand, &Lent<'_>)| {
            let (rows, cols) = lent.sizes.shape(b);
            rows * cols * operand.element.bytes
        };
        operands.iter().zip(lent).map(each).sum()
    };
    let parts =
        groups.each(device, bytes, |members| of_group(lent, members, |lent| work(lent, size_of(operands, lent, 0))))?;
    groups.in_order(&parts, other)
}

/// Does some work on a group of what is lent, of which each of several threads touches its own members only.
pub(crate) fn of_group<R>(lent: &[Lent<'_>], members: &[usize], work: impl FnOnce(&[Lent<'_>]) -> R) -> R {
    let groups: Vec<_> = lent.iter().map(|lent| lent.group(members)).collect();
    let all: Vec<_> =
        groups.iter().zip(lent).map(|(of, lent)| Lent { access: lent.access, ..Lent::read(of) }).collect();
    work(&all)
}

/// By what matrices differ that cannot be in one group: on the CPU, which works where they lie, by all strides, else by
/// whether rows or columns are closer.
pub(crate) fn key_of(device: &Device, lent: &[Lent<'_>], b: usize) -> [(usize, usize); 3] {
    let key = |lent: &Lent<'_>| {
        let (layout, (rows, cols)) = (lent.sizes.layout(b), lent.sizes.shape(b));
        let layout = if device.has_own_memory() { layout.compact(rows, cols) } else { layout };
        (layout.row_stride, layout.col_stride)
    };
    let mut keys = [(0, 0); 3];
    keys.iter_mut().zip(lent).for_each(|(to, lent)| *to = key(lent));
    keys
}

/// The order of matrix b, and how many right-hand sides it has.
fn size_of(operands: &[Operand], lent: &[Lent<'_>], b: usize) -> Size {
    let n = lent[0].sizes.shape(b).0;
    let sides = operands.iter().zip(lent).find(|(operand, _)| operand.extent == Extent::Sides);
    Size { n, rhs: sides.map_or(0, |(_, lent)| lent.sizes.shape(b).1) }
}

/// The size of matrices of one size; none, where they are of many.
///
/// # Errors
/// [`Error::Shape`] if they are not square.
fn one_size(operands: &[Operand], lent: &[Lent<'_>]) -> Result<Option<Size>> {
    debug_assert!(operands.iter().zip(lent).all(|(operand, lent)| operand.access == lent.access));
    if lent[0].sizes.is_ragged() {
        return Ok(None);
    }
    square(lent[0])?;
    Ok(Some(size_of(operands, lent, 0)))
}

/// Checks the first operands of an operation: what it reads, before there is memory for what it writes.
///
/// # Errors
/// [`Error::Shape`] if matrices are not square, or an operand does not fit them.
pub(crate) fn check(operands: &[Operand], read: &[Lent<'_>]) -> Result<()> {
    let batch = read[0].sizes.count();
    let Some(size) = one_size(operands, read)? else {
        check_squares(read[0].sizes)?;
        return check_ragged(operands.iter().zip(read), batch, |b| size_of(operands, read, b));
    };
    operands.iter().zip(read).try_for_each(|(operand, lent)| {
        operand.expect((batch, operand.extent.shape(size)), (lent.sizes.count(), lent.sizes.shape(0)))
    })
}

/// Checks right-hand sides for `batch` matrices of order n, before there is memory for solutions.
///
/// # Errors
/// [`Error::Shape`] if they are for others.
pub(crate) fn check_sides(operand: &Operand, (batch, n): (usize, usize), b: Lent<'_>) -> Result<()> {
    operand.expect((batch, (n, b.cols())), (b.sizes.count(), b.sizes.shape(0)))
}

/// The order of square matrices of one size, how many there are, and the compact layout that suits what is made of them.
///
/// # Errors
/// [`Error::Shape`] if they are not square.
pub(crate) fn square(a: Lent<'_>) -> Result<(usize, usize, Layout)> {
    let (rows, cols) = a.sizes.shape(0);
    Ok((order(rows, cols)?, a.sizes.count(), a.sizes.layout(0).compact(rows, cols)))
}

/// Refuses matrices of many sizes that are not square.
pub(crate) fn check_squares(sizes: Sizes<'_>) -> Result<()> {
    for b in 0..sizes.count() {
        let (rows, cols) = sizes.shape(b);
        if rows != cols {
            return Err(Error::Shape(format!("matrix {b} is {rows} x {cols}: the matrices must be square")));
        }
    }
    Ok(())
}

/// Checks that operands fit `batch` matrices of many sizes.
pub(crate) fn check_ragged<'l>(
    operands: impl Iterator<Item = (&'l Operand, &'l Lent<'l>)> + Clone,
    batch: usize,
    size: impl Fn(usize) -> Size,
) -> Result<()> {
    for (operand, lent) in operands.clone() {
        let (name, count) = (operand.name, lent.sizes.count());
        if count != batch {
            return Err(Error::Shape(format!("`{name}` must hold {batch} matrices, but it holds {count}")));
        }
        if !lent.sizes.is_ragged() {
            return Err(Error::Shape(format!("`{name}` must be for matrices of many sizes: give a slice")));
        }
    }
    for (b, (operand, lent)) in operands.flat_map(|operand| (0..batch).map(move |b| (b, operand))) {
        let ((rows, cols), (own_rows, own_cols)) = (operand.extent.shape(size(b)), lent.sizes.shape(b));
        if (rows, cols) != (own_rows, own_cols) {
            let name = operand.name;
            return Err(Error::Shape(format!(
                "for matrix {b}, `{name}` must be {rows} x {cols}, but it is {own_rows} x {own_cols}"
            )));
        }
    }
    Ok(())
}
