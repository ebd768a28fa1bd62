//! Devices of several machines, and what is of one machine.

use std::ops::Range;
use std::sync::Arc;

use super::{Device, check_algorithm};
use crate::backend::Backend;
use crate::choice::Limits;
use crate::error::{Error, Result};
use crate::options::Options;

/// Machines of a device at most.
const MOST: usize = 64;

/// One machine of a device, and how it is to work: what routes are made for.
#[derive(Clone, Debug)]
pub(crate) struct Single {
    pub(crate) backend: Backend,
    pub(crate) options: Options,
}

impl Single {
    /// That the algorithm is one of the machine, and may choose its pivots so.
    pub(crate) fn check_algorithm(&self) -> Result<()> {
        check_algorithm(&self.backend, self.options)
    }
}

impl Device {
    /// Several NVIDIA GPUs, by their numbers, as one device: each call on host memory is done by all of them at once.
    /// They take chunks of the batch in turn, so that the fastest takes most. [`Lu`](crate::Lu) keeps a range of the
    /// factors on each, which does all further work on them.
    ///
    /// All run the kernels of the lowest compute capability and the least shared memory among them, so results do not
    /// depend on which one has a matrix. A GPU may be listed twice, and then counts as two. A [memory
    /// limit](Device::with_memory_limit) is each one's. What stays in the memory of one GPU
    /// ([`resident`](crate::resident)) takes one of [`Device::devices`].
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let device = Device::cuda_list(&[0, 1]).unwrap_or_else(|_| Device::cpu());
    /// let inverse = device.invert(&Batch::row_major(&[2.0, 4.0, 8.0], 3, 1, 1)?)?;
    /// assert_eq!(inverse.matrices.as_slice(), [0.5, 0.25, 0.125]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a list of none or more than 64; as [`Device::cuda`].
    pub fn cuda_list(ordinals: &[u32]) -> Result<Self> {
        check_count(ordinals.len(), "GPUs")?;
        Ok(Self::of_several(ordinals.iter().map(|&ordinal| Backend::cuda(ordinal)).collect::<Result<_>>()?))
    }

    /// All NVIDIA GPUs that answer, as by [`Device::cuda_list`]; of one alone, that one.
    ///
    /// ```
    /// match warplu::Device::cuda_all() {
    ///     Ok(device) => println!("{device}:\n{}", device.info()),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`Device::cuda`].
    pub fn cuda_all() -> Result<Self> {
        Self::cuda_list(&(0..Self::cuda_count()?).collect::<Vec<_>>())
    }

    /// So many emulators as one device, as several GPUs are by [`Device::cuda_list`]: to test programs for these.
    ///
    /// ```
    /// let device = warplu::Device::sims(2)?;
    /// assert_eq!(device.to_string(), "sim:2");
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for none or more than 64.
    pub fn sims(count: usize) -> Result<Self> {
        check_count(count, "emulators")?;
        Ok(Self::of_several((0..count).map(|_| Backend::sim(0)).collect()))
    }

    /// The devices of which this is made, each by itself, with the same settings and kernels: several of a
    /// [list](Device::cuda_list), else this one.
    ///
    /// ```
    /// for device in warplu::Device::sims(2)?.devices() {
    ///     let buffer = device.upload(&[1.0, 2.0])?; // in the memory of this one
    ///     assert_eq!(buffer.to_vec()?, [1.0, 2.0]);
    /// }
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn devices(&self) -> Vec<Self> {
        let of = |backend: &Backend| Self { machines: Arc::from([backend.clone()]), ..self.clone() };
        self.machines.iter().map(of).collect()
    }

    /// One device of some machines, at least one, which run the kernels that all of them have.
    pub(crate) fn of_several(machines: Vec<Backend>) -> Self {
        let common = machines.iter().map(Backend::limits).reduce(Limits::and);
        let within = |backend: Backend| match common {
            Some(limits) => backend.within(limits),
            None => backend,
        };
        Self::of_machines(machines.into_iter().map(within).collect())
    }

    /// Its machines, of which there is one at least.
    pub(crate) fn machines(&self) -> &[Backend] {
        &self.machines
    }

    /// The first of them, which in kind and limits is as all are.
    pub(crate) fn first(&self) -> &Backend {
        &self.machines[0]
    }

    /// The only one: the error is that there are several.
    pub(crate) fn machine(&self) -> Result<&Backend> {
        match self.machines() {
            [one] => Ok(one),
            several => Err(Error::Unsupported(format!(
                "the device {self} is {} devices, and this is for one: choose one of Device::devices(), such as {}",
                several.len(),
                self.first()
            ))),
        }
    }

    /// As [`Self::machine`], with how it is to work.
    pub(crate) fn single(&self) -> Result<Single> {
        self.machine().map(|backend| self.single_of(backend))
    }

    /// One of its machines, and how it is to work.
    pub(crate) fn single_of(&self, backend: &Backend) -> Single {
        Single { backend: backend.clone(), options: self.options }
    }

    /// A batch in contiguous ranges, one a machine, for as many of them as there are matrices; of an empty batch all
    /// for the first.
    pub(crate) fn ranges(&self, batch: usize) -> impl Iterator<Item = (&Backend, Range<usize>)> {
        let parts = batch.clamp(1, self.machines.len());
        let (each, more) = (batch / parts, batch % parts);
        let start = move |part: usize| part * each + part.min(more);
        self.machines.iter().take(parts).enumerate().map(move |(part, backend)| (backend, start(part)..start(part + 1)))
    }

    /// An error of one of its machines, which says of which one if there are several.
    pub(crate) fn blame(&self, backend: &Backend, error: Error) -> Error {
        match error {
            Error::Cuda(_) | Error::Memory { .. } | Error::Emulator(_) if self.machines.len() > 1 => {
                Error::OneOfSeveral { device: backend.to_string(), source: Box::new(error) }
            }
            error => error,
        }
    }
}

fn check_count(count: usize, what: &str) -> Result<()> {
    if (1..=MOST).contains(&count) {
        return Ok(());
    }
    Err(Error::Unsupported(format!("a device is made of 1 to {MOST} {what}, not of {count}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_the_batch_and_differ_by_one_at_most() {
        for count in [1, 2, 3, 7] {
            let device = Device::sims(count).unwrap();
            for batch in [0, 1, 2, 3, 6, 7, 8, 1000, usize::MAX] {
                let ranges: Vec<_> = device.ranges(batch).map(|(_, range)| range).collect();
                assert_eq!(ranges.len(), count.min(batch.max(1)));
                assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].len() >= pair[1].len()));
                assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, batch));
                assert!(ranges[0].len() - ranges[ranges.len() - 1].len() <= 1);
                assert!(batch == 0 || ranges.iter().all(|range| !range.is_empty()));
            }
        }
    }

    #[test]
    fn all_have_the_lowest_limits() {
        let limits = [(90, 227 << 10), (80, 163 << 10), (86, 99 << 10)];
        let machines = limits.map(|(tier, shared_bytes)| Backend::sim_of(Limits { tier, shared_bytes }, 0));
        let device = Device::of_several(machines.to_vec());
        assert_eq!((device.info().tier(), device.info().shared_limit()), (Some(80), Some(99 << 10)));
        for (one, machine) in device.devices().iter().zip(&machines) {
            assert_eq!((one.info().tier(), one.info().shared_limit()), (Some(80), Some(99 << 10)));
            assert!(one.first().is(machine), "the same machine, with lower limits");
        }
    }

    #[test]
    fn one_of_several_is_to_be_chosen() {
        let device = Device::sims(2).unwrap();
        let error = device.machine().unwrap_err().to_string();
        assert!(error.contains("sim:2 is 2 devices") && error.contains("Device::devices()"), "{error}");
        let [first, second] = &device.devices()[..] else { panic!("two devices") };
        assert!(first.machine().unwrap().is(first.first()) && !first.first().is(second.first()));
        assert_eq!((first.to_string(), Device::sims(1).unwrap().to_string()), ("sim".to_owned(), "sim".to_owned()));
    }

    #[test]
    fn who_is_to_blame() {
        let fault = || Error::Memory { needed: 2, available: 1 };
        let several = Device::sims(2).unwrap();
        let error = several.blame(several.first(), fault());
        assert!(error.to_string().starts_with("sim: one matrix needs 2 bytes") && error.is_out_of_memory(), "{error}");
        assert!(std::error::Error::source(&error).is_some());
        let one = Device::sim();
        assert!(matches!(one.blame(one.first(), fault()), Error::Memory { .. }));
        let elsewhere = Error::Io(std::io::Error::other("a disk"));
        assert!(matches!(several.blame(several.first(), elsewhere), Error::Io(_)));
    }
}
