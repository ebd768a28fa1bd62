//! LU factorization, to where factors are kept.

use super::factors::{Factors, HostFactors, MachineFactors};
use crate::batch::Batch;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::statuses::Statuses;
use kernels_cpu::fresh::{Fresh, filled};
use numbers::op::Op;

/// A batch of square matrices that a call reads.
pub(super) trait Input<T> {
    /// Their order.
    fn order(&self) -> Result<usize>;
    /// How many there are.
    fn batch(&self) -> usize;
    /// The compact layout that suits what is made of them.
    fn output_layout(&self) -> Layout;
    /// Makes them the next port of a call.
    fn port<'c>(&'c self, call: &mut Call<'c>);
    /// Whether their factors may be kept in the machine's memory, where they fit there.
    fn may_stay(&self) -> bool {
        true
    }
}

impl<T: Element> Input<T> for Batch<'_, T> {
    fn order(&self) -> Result<usize> {
        self.order()
    }

    fn batch(&self) -> usize {
        self.batch()
    }

    fn output_layout(&self) -> Layout {
        self.output_layout(self.rows(), self.cols())
    }

    fn port<'c>(&'c self, call: &mut Call<'c>) {
        call.input(self);
    }
}

/// Factors a batch, in the memory of `old` factors of the same size if there are any.
pub(super) fn factored<T: Element>(
    device: &Device,
    a: &impl Input<T>,
    old: Option<Factors<T::Scalar>>,
) -> Result<(Factors<T::Scalar>, Layout, Statuses)> {
    let (n, batch) = (a.order()?, a.batch());
    let layout = a.output_layout();
    device.check_algorithm()?;
    let machine = match old {
        Some(Factors::Machine(old)) => Some(old.emptied()),
        Some(Factors::Host(old)) if !device.has_own_memory() => {
            let HostFactors { mut lu, mut pivots } = old;
            lu.layout = layout;
            let mut out = lu.view_mut();
            let mut call = Call::new(device, batch);
            a.port(&mut call);
            call.output(&mut out);
            call.values(&mut pivots, n);
            let codes = call.perform(&operation::factor_lu::<T>(), Size::order(n))?;
            return Ok((Factors::Host(HostFactors { lu, pivots }), layout, Statuses::from_codes(&codes)));
        }
        _ if !a.may_stay() => None,
        _ => MachineFactors::new(device, batch, n)?,
    };
    let (factors, codes) = if let Some(machine) = machine {
        let mut call = Call::new(device, batch);
        a.port(&mut call);
        machine.factor_ports(&mut call, n, layout);
        let codes = call.perform_then(
            &operation::factor_lu::<T>(),
            (Size::order(n), Op::None),
            filled(0, batch)?,
            &|launcher, chunk, status| machine.keep_status(launcher, chunk, status),
        )?;
        (Factors::Machine(machine), codes)
    } else {
        let (mut lu, mut pivots) = (Fresh::new(product(&[batch, n, n])?)?, Fresh::new(product(&[batch, n])?)?);
        let mut call = Call::new(device, batch);
        a.port(&mut call);
        call.fresh(&mut lu, n, n, layout);
        call.fresh(&mut pivots, n, 1, Layout::column_major(n, 1));
        let codes = call.perform(&operation::factor_lu::<T>(), Size::order(n))?;
        // SAFETY: the call has written both.
        let (lu, pivots) = unsafe { (lu.written(), pivots.written()) };
        (Factors::Host(HostFactors { lu: Matrices::new(lu, batch, n, n, layout), pivots }), codes)
    };
    Ok((factors, layout, Statuses::from_codes(&codes)))
}
