//! Inversion of Hermitian matrices by bordering, a block of columns at a time.

use kernels_gpu::entry::Entry;
use kernels_gpu::operation::InverseArgs;
use kernels_gpu::shape::Shape;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use warplu::extend::{Array, Job, Machine, Space, Steps};
use warplu::{Error, Result};

use super::kernel as named;
use crate::kernels::block_bordering::{BlockArgs, Division, Kernel};

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
pub(super) fn columns(machine: &Machine<'_>, kind: ScalarKind, n: u32, asked: Option<u32>) -> Result<u32> {
    match asked {
        Some(1) => Ok(1),
        Some(block) if n > MAX_ORDER => Err(Error::Unsupported(format!(
            "bordering by {block} columns takes matrices up to order {MAX_ORDER}, not of order {n}: use \
             bordering:block=1, or the algorithm `auto`"
        ))),
        Some(block) => {
            machine.fit(entry(Kernel::Product, kind)?, &Problem { n, batch: 1, rhs: 1 })?;
            Ok(block)
        }
        None => {
            let is_there = entry(Kernel::Product, kind)?.tiers.contains(&machine.tier());
            Ok(if is_there && n <= MAX_ORDER { DEFAULT_BLOCK } else { 1 })
        }
    }
}

/// The kernel of a step.
fn entry(kernel: Kernel, kind: ScalarKind) -> Result<&'static Entry> {
    let name = match kernel {
        Kernel::Pack => "block_border_pack",
        Kernel::Product => "block_border_product",
        Kernel::Schur => "block_border_schur",
        Kernel::Sum => "block_border_sum",
        Kernel::Scale => "block_border_scale",
        Kernel::Update => "block_border_update",
        Kernel::Unpack => "block_border_unpack",
        Kernel::Status => "block_border_status",
        Kernel::Fill => "block_border_fill",
    };
    named(name, kind)
}

/// The inverses of Hermitian matrices of which only the upper triangle is read, all of each inverse; it is all NaN where
/// the status is not 0: k if the leading block of order k is singular, and those of each multiple of `block` below are
/// not. Borders have `block` columns, a multiple of 32; matrices are of an order up to [`MAX_ORDER`].
pub(super) fn invert<S: Scalar>(machine: &Machine<'_>, block: u32, size: Problem, space: &mut Space) -> Result<Steps> {
    let n = size.n;
    let block = block.min(n.next_multiple_of(32)).max(32);
    let one = |n| Problem { n, batch: 1, rhs: 1 };
    for kernel in STEP.into_iter().chain(OTHERS) {
        let entry = machine.fit(entry(kernel, S::KIND)?, &one(n))?;
        machine.load(entry, n, entry.shape(&one(n)).shared_bytes)?;
    }
    let order = block.min(n);
    // Inverts the corners.
    let inverse_of_corner = machine.inverse(S::KIND, order).ok_or_else(|| {
        Error::Unsupported(format!(
            "there is no kernel that inverts matrices of order {order} ({}) by one block of threads: use \
             bordering:block=128, or less",
            S::KIND.name()
        ))
    })?;
    machine.load(inverse_of_corner, order, inverse_of_corner.shape(&one(order)).shared_bytes)?;
    let most = |numbers: fn(&Division) -> u64| steps(n, block).map(|step| numbers(&step)).max().unwrap_or(0);
    let (rows, width) = (n as usize, block as usize);
    let work: Array<S> = space.array(&[rows.next_multiple_of(32), rows])?;
    let w: Array<S> = space.array(&[width, rows])?;
    let slices: Array<S> = space.array(&[width, most(|s| u64::from(s.slices()) * u64::from(s.k)) as usize])?;
    let parts: Array<S> = space.array(&[width, width, most(|s| s.chunks().into()) as usize])?;
    let corner: Array<S> = space.array(&[width, width])?;
    let corner_status: Array<i32> = space.array(&[1])?;
    let flags: Array<u32> = space.array(&[Division::new(n, block, 0).copies() as usize])?;
    Ok(Steps::new(move |job| {
        let args = BlockArgs {
            a: job.matrices(0),
            inverse: job.matrices(1),
            work: job.array(work),                   // shape (batch, n rounded up to 32, n)
            w: job.array(w),                         // shape (batch, block, n)
            slices: job.array(slices),               // the most of a step: shape (batch, slices, block, k)
            parts: job.array(parts),                 // shape (batch, chunks, block, block)
            corner: job.array(corner),               // shape (batch, block, block)
            corner_status: job.array(corner_status), // shape (batch)
            flags: job.array(flags),                 // shape (batch, copies)
            status: job.values(2),
            first: 0,
            end: 0,
            step: Division::new(n, block, 0),
        };
        let corner = job.square(corner, block, true);
        // SAFETY: the operands and the arrays are of this size.
        unsafe {
            launch(job, Kernel::Pack, args)?;
            for step in steps(n, block) {
                let args = BlockArgs { step, ..args };
                let (before, after) = STEP.split_at(3);
                for &kernel in before {
                    launch(job, kernel, args)?;
                }
                let (size, status) = (Problem { n: step.width, batch: 1, rhs: 1 }, args.corner_status);
                job.launch(inverse_of_corner, size, |first, end| InverseArgs {
                    a: corner,
                    inverse: corner,
                    status,
                    first,
                    end,
                    n: size.n,
                })?;
                for &kernel in after {
                    launch(job, kernel, args)?;
                }
            }
            for kernel in [Kernel::Unpack, Kernel::Status, Kernel::Fill] {
                launch(job, kernel, args)?;
            }
        }
        Ok(())
    }))
}

/// The steps for matrices of order `n`.
fn steps(n: u32, block: u32) -> impl Iterator<Item = Division> {
    (0..n).step_by(block as usize).map(move |k| Division::new(n, block, k))
}

/// # Safety
/// As for [`Job::launch`].
unsafe fn launch<S: Scalar>(job: &Job<'_>, kernel: Kernel, args: BlockArgs<S>) -> Result<()> {
    let entry = entry(kernel, S::KIND)?;
    let one = entry.shape(&Problem { n: args.step.n, batch: 1, rhs: 1 });
    let shape = |batch: u64| Shape { blocks: batch * args.step.blocks(kernel), ..one };
    // SAFETY: the caller's promise.
    unsafe { job.launch_as(entry, shape, |first, end| BlockArgs { first, end, ..args }) }
}
