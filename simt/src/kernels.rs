//! The macro that makes kernels of functions.

/// Makes kernels of functions, each of one argument, which is the launch's: a number, a pointer such as
/// [`Global`](crate::global::Global), or a `#[repr(C)]` struct of these.
///
/// For a GPU each becomes an entry point of that name, on every other target an `unsafe fn` of the same argument, to run
/// in the emulator (`simt::cpu::run`). A crate has one such block, at its root, behind the attributes that a GPU's
/// target needs:
///
/// ```
/// #![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_gpu_kernel))]
///
/// use simt::global::Global;
/// use simt::{block, thread};
///
/// /// What the launch hands over.
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// pub struct Scale {
///     pub x: Global<f64>, // shape (n)
///     pub n: u64,
///     pub factor: f64,
/// }
///
/// simt::kernels! {
///     /// Multiplies x by a factor, a thread an element.
///     pub fn scale(args: Scale) {
///         let i = u64::from(block::index()) * u64::from(block::dim()) + u64::from(thread::index());
///         if i < args.n {
///             args.x.store(i as i64, args.factor * args.x.load(i as i64));
///         }
///     }
/// }
///
/// # #[cfg(not(target_arch = "nvptx64"))]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use simt::cpu::{Launch, Memory, run};
/// let memory = Memory::new();
/// let buffer = memory.upload(&[1.0, 2.0, 3.0]);
/// // SAFETY: three elements, which nobody else uses.
/// let args = Scale { x: unsafe { Global::new(buffer.address()) }, n: 3, factor: 2.0 };
/// let launch = Launch { kernel: "scale", grid: 1, cluster: 1, block: 32, shared_bytes: 0, seed: 0 };
/// // SAFETY: the arguments are those that it is written for.
/// run(&memory, &launch, || unsafe { scale(args) })?;
/// assert_eq!(buffer.to_vec::<f64>(), [2.0, 4.0, 6.0]);
/// # Ok(())
/// # }
/// ```
///
/// A GPU has nobody to hear a panic: `warplu-simt-build`, which compiles such a crate to PTX, refuses kernels that can.
#[macro_export]
macro_rules! kernels {
    ($($(#[$attribute:meta])* $visibility:vis fn $name:ident($argument:ident: $kind:ty $(,)?) $body:block)*) => {
        $(
            $(#[$attribute])*
            ///
            /// # Safety
            /// The launch, its argument and the memory that this names are such as the kernel is written for.
            #[cfg(target_arch = "nvptx64")]
            #[unsafe(no_mangle)]
            #[allow(unknown_lints, improper_gpu_kernel_arg, reason = "both sides lay it out as C does")]
            $visibility unsafe extern "gpu-kernel" fn $name($argument: $kind) $body

            $(#[$attribute])*
            ///
            /// # Safety
            /// The launch, its argument and the memory that this names are such as the kernel is written for.
            #[cfg(not(target_arch = "nvptx64"))]
            $visibility unsafe fn $name($argument: $kind) $body
        )*

        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            /// Nothing calls it: the build refuses kernels that can panic.
            #[panic_handler]
            fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
                loop {}
            }
        };
    };
}
