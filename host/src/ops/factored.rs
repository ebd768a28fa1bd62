//! LU factorization, to where factors are kept.

use super::factors::{Factors, HostFactors, MachineFactors};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::lend::{Lent, square};
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::statuses::Statuses;
use kernels_cpu::fresh::{Fresh, filled};
use numbers::op::Op;

/// Factors matrices of one size, in the memory of `old` factors of the same size if there are any. `may_stay` says whether
/// factors may be kept in the machine's memory, where they fit there.
pub(super) fn factored<T: Element>(
    device: &Device,
    a: Lent<'_>,
    may_stay: bool,
    old: Option<Factors<T::Scalar>>,
) -> Result<(Factors<T::Scalar>, Layout, Statuses)> {
    let (n, batch, layout) = square(a)?;
    let (operation, size) = (operation::factor_lu::<T>(), Size::order(n));
    device.check_algorithm()?;
    let machine = match old {
        Some(Factors::Machine(old)) => Some(old.emptied()),
        Some(Factors::Host(old)) if !device.has_own_memory() => {
            let HostFactors { mut lu, mut pivots } = old;
            lu.layout = layout;
            let mut out = lu.view_mut();
            let mut call = Call::on(device, (&operation, size), &[a, Lent::write(&mut out)])?;
            call.values(&mut pivots, n);
            let codes = call.perform(&operation, size)?;
            return Ok((Factors::Host(HostFactors { lu, pivots }), layout, Statuses::from_codes(&codes)));
        }
        _ if !may_stay => None,
        _ => MachineFactors::new(device, batch, n)?,
    };
    let (factors, codes) = if let Some(machine) = machine {
        let mut call = Call::on(device, (&operation, size), &[a])?;
        machine.factor_ports(&mut call, n, layout);
        let codes =
            call.perform_then(&operation, (size, Op::None), filled(0, batch)?, &|launcher, chunk, status| {
                machine.keep_status(launcher, chunk, status)
            })?;
        (Factors::Machine(machine), codes)
    } else {
        let (mut lu, mut pivots) = (Fresh::new(product(&[batch, n, n])?)?, Fresh::new(product(&[batch, n])?)?);
        let mut call = Call::on(device, (&operation, size), &[a])?;
        call.fresh(&mut lu, n, n, layout);
        call.fresh(&mut pivots, n, 1, Layout::column_major(n, 1));
        let codes = call.perform(&operation, size)?;
        // SAFETY: the call has written both.
        let (lu, pivots) = unsafe { (lu.written(), pivots.written()) };
        (Factors::Host(HostFactors { lu: Matrices::new(lu, batch, n, n, layout), pivots }), codes)
    };
    Ok((factors, layout, Statuses::from_codes(&codes)))
}
