//! LU factorization, to where factors are kept.

use super::factors::{FactorPorts, Factors, HostFactors, MachineFactors};
use crate::batch::Batch;
use crate::call::{Call, Handle};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use crate::route;
use crate::statuses::Statuses;
use kernels_cpu::fresh::{Fresh, filled};
use numbers::factors;

/// A batch of square matrices that a call reads.
pub(super) trait Input<T> {
    /// Their order.
    fn order(&self) -> Result<usize>;
    /// How many there are.
    fn batch(&self) -> usize;
    /// The compact layout that suits what is made of them.
    fn output_layout(&self) -> Layout;
    /// The call's port for them.
    fn port<'c>(&'c self, call: &mut Call<'c>) -> Handle<T>;
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

    fn port<'c>(&'c self, call: &mut Call<'c>) -> Handle<T> {
        call.input(self)
    }
}

/// Factors a batch, in the memory of `old` factors of the same size if there are any.
pub(super) fn factored<T: Element>(
    device: &Device,
    a: &impl Input<T>,
    old: Option<Factors<T::Scalar>>,
) -> Result<(Factors<T::Scalar>, Layout, Statuses)> {
    let (n, batch) = (a.order()?, a.batch());
    let (layout, mut codes) = (a.output_layout(), filled(0, batch)?);
    device.check_algorithm()?;
    let machine = match old {
        Some(Factors::Machine(old)) => Some(old.emptied()),
        Some(Factors::Host(old)) if !device.has_own_memory() => {
            let HostFactors { mut lu, mut pivots } = old;
            lu.layout = layout;
            let mut out = lu.view_mut();
            let mut call = Call::new(device, batch);
            let from = a.port(&mut call);
            let to = FactorPorts {
                lu: call.output(&mut out),
                pivots: call.values(&mut pivots, n),
                status: call.values(&mut codes, 1),
            };
            factor_by::<T>(device, n, call, from, to)?;
            return Ok((Factors::Host(HostFactors { lu, pivots }), layout, Statuses::from_codes(&codes)));
        }
        _ if !a.may_stay() => None,
        _ => MachineFactors::new(device, batch, n)?,
    };
    let factors = if let Some(machine) = machine {
        let mut call = Call::new(device, batch);
        let from = a.port(&mut call);
        let to = FactorPorts { status: call.values(&mut codes, 1), ..machine.ports(&mut call, n, layout) };
        call.run(
            |device, space| route::Lu::<T>::new(device, n, space),
            |route, launcher, chunk| {
                let factors: factors::Factors<T::Scalar> = to.of(chunk);
                // SAFETY: the ports are of these sizes.
                unsafe { route.enqueue(launcher, chunk.count, chunk.matrices(from), factors, chunk.room)? };
                machine.keep_status(launcher, chunk, to.status)
            },
        )?;
        Factors::Machine(machine)
    } else {
        let (mut lu, mut pivots) = (Fresh::new(product(&[batch, n, n])?)?, Fresh::new(product(&[batch, n])?)?);
        let mut call = Call::new(device, batch);
        let from = a.port(&mut call);
        let to = FactorPorts {
            lu: call.fresh(&mut lu, n, n, layout),
            pivots: call.fresh(&mut pivots, n, 1, Layout::column_major(n, 1)),
            status: call.values(&mut codes, 1),
        };
        factor_by::<T>(device, n, call, from, to)?;
        // SAFETY: the call has written both.
        let (lu, pivots) = unsafe { (lu.written(), pivots.written()) };
        Factors::Host(HostFactors { lu: Matrices::new(lu, batch, n, n, layout), pivots })
    };
    Ok((factors, layout, Statuses::from_codes(&codes)))
}

/// Factors what the call's ports hold; statuses are zero before.
pub(crate) fn factor_by<T: Element>(
    device: &Device,
    n: usize,
    call: Call<'_>,
    from: Handle<T>,
    to: FactorPorts<T::Scalar>,
) -> Result<()> {
    device.check_algorithm()?;
    if n == 0 {
        return Ok(());
    }
    call.run(
        |device, space| route::Lu::<T>::new(device, n, space),
        |route, launcher, chunk| {
            let factors: factors::Factors<T::Scalar> = to.of(chunk);
            // SAFETY: the ports are of these sizes.
            unsafe { route.enqueue(launcher, chunk.count, chunk.matrices(from), factors, chunk.room) }
        },
    )
}
