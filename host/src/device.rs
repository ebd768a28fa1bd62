//! Where the work is done.

mod describe;
mod names;
mod several;

pub use describe::DeviceInfo;
pub(crate) use several::Single;

use std::sync::Arc;

use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::options::{Options, Setting};

/// A device that factors, solves and inverts: the CPU, an NVIDIA GPU, or the emulator of one, or several GPUs that share
/// the work of each call on host memory ([`Device::cuda_list`]). Cheap to clone.
///
/// ```
/// use warplu::{Batch, Device};
/// let device = Device::best();
/// let inverse = device.invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
/// assert_eq!(inverse.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    /// One, or several that run the same kernels.
    machines: Arc<[Backend]>,
    pub(crate) options: Options,
    pub(crate) memory_limit: Option<usize>,
    pub(crate) progress: Option<Arc<dyn Fn(usize) + Send + Sync>>,
}

impl Device {
    pub(crate) fn new(backend: Backend) -> Self {
        Self::of_machines(Arc::from([backend]))
    }

    fn of_machines(machines: Arc<[Backend]>) -> Self {
        Self { machines, options: Options::default(), memory_limit: None, progress: None }
    }

    /// The CPU: matrices side by side in its vectors, and in parallel over rayon's threads.
    ///
    /// ```
    /// let device = warplu::Device::cpu();
    /// assert_eq!(device.to_string(), "cpu");
    /// ```
    #[must_use]
    pub fn cpu() -> Self {
        Self::new(Backend::Cpu)
    }

    /// The GPU's kernels in the emulator, which checks each memory access and barrier. Slow; for tests. In a build
    /// without the feature `emulator`, calls fail with [`Error::NoEmulator`].
    ///
    /// ```
    /// let device = warplu::Device::sim();
    /// assert_eq!(device.to_string(), "sim");
    /// ```
    #[must_use]
    pub fn sim() -> Self {
        Self::sim_with_seed(0)
    }

    /// As [`Device::sim`], with the order of the threads drawn from `seed`.
    ///
    /// ```
    /// let device = warplu::Device::sim_with_seed(42);
    /// assert_eq!(device.to_string(), "sim");
    /// ```
    #[must_use]
    pub fn sim_with_seed(seed: u64) -> Self {
        Self::new(Backend::sim(seed))
    }

    /// NVIDIA GPU `ordinal`, from 0.
    ///
    /// ```
    /// // Without a GPU this is an error that says what is missing.
    /// match warplu::Device::cuda(0) {
    ///     Ok(device) => println!("{device}"),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoCuda`] in a build without the feature `cuda`, else `Error::Cuda` if there is no such GPU or no
    /// driver.
    pub fn cuda(ordinal: u32) -> Result<Self> {
        Backend::cuda(ordinal).map(Self::new)
    }

    /// GPU 0 if one answers, else the CPU. The choice does not depend on what is then computed, so that a program
    /// always works in the same place.
    ///
    /// For matrices in host memory, which cross the bus twice, a GPU pays from a certain size on, which the
    /// [guide](crate::guide::sizes) has: on an H200 from order 128 on, at order 64 for 10,000 and more. Below that, or
    /// where the GPU is wanted for other things, [`Device::cpu`] is the better choice. For matrices in GPU memory
    /// ([`resident`](crate::resident)) a GPU pays much earlier.
    ///
    /// ```
    /// let device = warplu::Device::best();
    /// println!("working on {device}");
    /// ```
    #[must_use]
    pub fn best() -> Self {
        Self::cuda(0).unwrap_or_else(|_| Self::cpu())
    }

    /// Number of NVIDIA GPUs that answer.
    ///
    /// ```
    /// println!("{} GPUs", warplu::Device::cuda_count().unwrap_or(0));
    /// ```
    ///
    /// # Errors
    /// As [`Device::cuda`].
    pub fn cuda_count() -> Result<u32> {
        Backend::cuda_count()
    }

    /// The same device, for calls and plans that compute so: by an [`Algorithm`](crate::Algorithm), with a choice of
    /// pivots ([`Pivoting`](crate::Pivoting)), for small residuals ([`Residual`](crate::Residual)), on matrices of a
    /// [`Structure`](crate::Structure), or by [`Options`] of all these.
    ///
    /// ```
    /// use warplu::{Algorithm, Batch, Device, Pivoting, Structure, Triangle};
    /// let device = Device::sim();
    /// let a = Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?;
    /// assert_eq!(device.with(Pivoting::None).lu(&a)?.factors()?.as_slice(), [1.0, 2.0, 4.0, -6.0]);
    /// let lu = device.with(Algorithm::Kernel("getrf_global")).lu(&a)?;
    /// assert_eq!((lu.factors()?.as_slice(), lu.pivots(0)?), (&[4.0, 2.0, 0.25, 1.5][..], &[1, 1][..]));
    ///
    /// let definite = device.with(Structure::PositiveDefinite(Triangle::Lower));
    /// let inverse = definite.invert(&Batch::row_major(&[2.0, f64::NAN, 1.0, 1.0], 1, 2, 2)?)?;
    /// assert!((inverse.matrices.get(0, 0, 1) + 1.0).abs() < 1e-15); // of [2 1; 1 1]
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn with(&self, setting: impl Setting) -> Self {
        let mut device = self.clone();
        setting.set(&mut device.options);
        device
    }

    /// The same device, with calls on host memory limited to `bytes` of device memory, factors that stay there and
    /// memory kept between calls included: larger batches go through in chunks. Of several GPUs each has this limit. By default a GPU's calls use four
    /// fifths of its free memory. At most 256 MiB of it are kept for the next call, until a buffer needs them;
    /// page-locked host memory has a bound of its own, 66 MiB. On the CPU the limit is that of chunks from files
    /// ([`out_of_core`](crate::out_of_core)).
    ///
    /// ```
    /// let device = warplu::Device::sim().with_memory_limit(64 << 20);
    /// # let _ = device;
    /// ```
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// The same device, which calls `progress` with the number of matrices it has newly finished, from any thread.
    ///
    /// ```
    /// let device = warplu::Device::cpu().with_progress(|matrices| println!("{matrices} more"));
    /// # let _ = device;
    /// ```
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// Whether its kernels work in memory of their own, to and from which batches are copied.
    pub(crate) fn has_own_memory(&self) -> bool {
        self.first().has_own_memory()
    }

    /// That the algorithm is one of the device, and may choose its pivots so.
    pub(crate) fn check_algorithm(&self) -> Result<()> {
        check_algorithm(self.first(), self.options)
    }

    pub(crate) fn finished(&self, matrices: usize) {
        if let Some(progress) = &self.progress {
            progress(matrices);
        }
    }
}

fn check_algorithm(backend: &Backend, Options { algorithm, pivoting, .. }: Options) -> Result<()> {
    pivoting.check()?;
    if !pivoting.interchanges() && matches!(algorithm, Algorithm::Other(_)) {
        return Err(Error::Unsupported(format!(
            "the algorithm {} chooses its pivots itself: use the pivoting `partial`, or the algorithm `auto`",
            algorithm.name()
        )));
    }
    match backend {
        Backend::Cpu if !algorithm.chooses() => Err(Error::Unsupported(format!(
            "the algorithm {} is one of GPU kernels: use the device `cuda` or `sim`, or the algorithm `auto`",
            algorithm.name()
        ))),
        _ => Ok(()),
    }
}
