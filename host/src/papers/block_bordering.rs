//! Inversion of Hermitian matrices by bordering, a block of columns at a time.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::papers::block_bordering::{BlockArgs, Division, Kernel};
use kernels_gpu::shape::Shape;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};
use crate::launch::{Launcher, matrices_at};
use crate::layout::Layout;
use crate::route::{Array, Room, Space};

/// Columns of a border where nothing else is said.
const DEFAULT_BLOCK: u32 = 128;
/// The largest order, so that the kernels can count tiles in 32 bits.
const MAX_ORDER: u32 = 1 << 17;
/// The kernels of a step, but for the inversion of the corner, which comes after the first three.
const STEP: [Kernel; 5] = [Kernel::Product, Kernel::Schur, Kernel::Sum, Kernel::Scale, Kernel::Update];
/// Those that come before and after all steps.
const OTHERS: [Kernel; 4] = [Kernel::Pack, Kernel::Unpack, Kernel::Status, Kernel::Fill];

/// The columns of a border: those asked for, or 1 where matrices of this order or this machine have no kernels for
/// more.
pub(super) fn columns(backend: &Backend, kind: ScalarKind, n: u32, asked: Option<u32>) -> Result<u32> {
    match asked {
        Some(1) => Ok(1),
        Some(block) if n > MAX_ORDER => Err(Error::Unsupported(format!(
            "bordering by {block} columns takes matrices up to order {MAX_ORDER}, not of order {n}: use \
             bordering:block=1, or the algorithm `auto`"
        ))),
        Some(block) => {
            choice::fit(entry(Kernel::Product, kind)?, &Problem { n, batch: 1, rhs: 1 }, backend.limits())?;
            Ok(block)
        }
        None => {
            let is_there = entry(Kernel::Product, kind)?.tiers.contains(&backend.limits().tier);
            Ok(if is_there && n <= MAX_ORDER { DEFAULT_BLOCK } else { 1 })
        }
    }
}

/// The kernel of a step.
fn entry(kernel: Kernel, kind: ScalarKind) -> Result<&'static Entry> {
    let variant = match kernel {
        Kernel::Pack => Variant::Pack,
        Kernel::Product => Variant::Product,
        Kernel::Schur => Variant::Schur,
        Kernel::Sum => Variant::Sum,
        Kernel::Scale => Variant::Scale,
        Kernel::Update => Variant::Update,
        Kernel::Unpack => Variant::Unpack,
        Kernel::Status => Variant::Status,
        Kernel::Fill => Variant::Fill,
    };
    choice::only(Family::BlockBordering, variant, kind)
}

/// Bordering by blocks, with what it works in.
#[derive(Debug)]
pub(super) struct BlockBordering<S> {
    block: u32,
    /// Inverts the corners.
    invert: &'static Entry,
    work: Array<S>,            // shape (batch, n rounded up to 32, n)
    w: Array<S>,               // shape (batch, block, n)
    slices: Array<S>,          // the most of a step: shape (batch, slices, block, k)
    parts: Array<S>,           // shape (batch, chunks, block, block)
    corner: Array<S>,          // shape (batch, block, block)
    corner_status: Array<i32>, // shape (batch)
    flags: Array<u32>,         // shape (batch, copies)
}

impl<S: Scalar> BlockBordering<S> {
    /// With borders of `block` columns, a multiple of 32, for matrices of an order up to [`MAX_ORDER`]; all kernels
    /// loaded.
    pub(super) fn new(backend: &Backend, block: u32, n: u32, space: &mut Space) -> Result<Self> {
        let block = block.min(n.next_multiple_of(32)).max(32);
        let one = |n| Problem { n, batch: 1, rhs: 1 };
        for kernel in STEP.into_iter().chain(OTHERS) {
            let entry = choice::fit(entry(kernel, S::KIND)?, &one(n), backend.limits())?;
            backend.prepare(entry, entry.shape(&one(n)).shared_bytes)?;
        }
        let order = block.min(n);
        let invert = choice::find(Algorithm::Auto, Family::Inverse, S::KIND, &one(order), backend.limits())
            .ok_or_else(|| {
                Error::Unsupported(format!(
                    "there is no kernel that inverts matrices of order {order} ({}) by one block of threads: use \
                 bordering:block=128, or less",
                    S::KIND.name()
                ))
            })?;
        backend.prepare(invert, invert.shape(&one(order)).shared_bytes)?;
        let most = |numbers: fn(&Division) -> u64| steps(n, block).map(|step| numbers(&step)).max().unwrap_or(0);
        let (rows, width) = (n as usize, block as usize);
        Ok(Self {
            block,
            invert,
            work: space.array(&[rows.next_multiple_of(32), rows])?,
            w: space.array(&[width, rows])?,
            slices: space.array(&[width, most(|s| u64::from(s.slices()) * u64::from(s.k)) as usize])?,
            parts: space.array(&[width, width, most(|s| s.chunks().into()) as usize])?,
            corner: space.array(&[width, width])?,
            corner_status: space.array(&[1])?,
            flags: space.array(&[Division::new(n, block, 0).copies() as usize])?,
        })
    }

    /// The inverses of Hermitian matrices of which only the upper triangle is read, all of each inverse; it is all NaN
    /// where the status is not 0: k if the leading block of order k is singular, and those of each multiple of `block`
    /// below are not. `inverse` may be `a`. n is at least 1.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(super) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        (a, inverse): (Matrices<S>, Matrices<S>),
        status: Global<i32>,
        room: Room<'_>,
        size: Problem,
    ) -> Result<()> {
        let Problem { n, batch, .. } = size;
        let args = BlockArgs {
            a,
            inverse,
            work: room.at(self.work),
            w: room.at(self.w),
            slices: room.at(self.slices),
            parts: room.at(self.parts),
            corner: room.at(self.corner),
            corner_status: room.at(self.corner_status),
            flags: room.at(self.flags),
            status,
            first: 0,
            end: 0,
            step: Division::new(n, self.block, 0),
        };
        let width = self.block as usize;
        let corner: Matrices<S> = matrices_at(args.corner.address(), Layout::row_major(width, width));
        // SAFETY: the caller's promise; the room is of this size.
        unsafe {
            launch(launcher, Kernel::Pack, args, batch)?;
            for step in steps(n, self.block) {
                let args = BlockArgs { step, ..args };
                let (before, after) = STEP.split_at(3);
                for &kernel in before {
                    launch(launcher, kernel, args, batch)?;
                }
                let size = Problem { n: step.width, batch, rhs: 1 };
                launcher.invert(self.invert, corner, corner, args.corner_status, size)?;
                for &kernel in after {
                    launch(launcher, kernel, args, batch)?;
                }
            }
            for kernel in [Kernel::Unpack, Kernel::Status, Kernel::Fill] {
                launch(launcher, kernel, args, batch)?;
            }
        }
        Ok(())
    }
}

/// The steps for matrices of order `n`.
fn steps(n: u32, block: u32) -> impl Iterator<Item = Division> {
    (0..n).step_by(block as usize).map(move |k| Division::new(n, block, k))
}

/// # Safety
/// As for [`Launcher::lu`].
unsafe fn launch<S: Scalar>(launcher: &Launcher<'_>, kernel: Kernel, args: BlockArgs<S>, batch: u64) -> Result<()> {
    let entry = entry(kernel, S::KIND)?;
    let one = entry.shape(&Problem { n: args.step.n, batch: 1, rhs: 1 });
    let shape = |batch: u64| Shape { blocks: batch * args.step.blocks(kernel), ..one };
    // SAFETY: the caller's promise.
    unsafe { launcher.launch_as(entry, batch, shape, |first, end| BlockArgs { first, end, ..args }) }
}

#[cfg(test)]
mod tests;
