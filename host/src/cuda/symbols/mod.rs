//! The `cu*` symbols that cust declares, all of them, so that a program with cust links without libcuda and starts
//! without a driver.
//!
//! Each symbol jumps through a slot of its own. The first call of any, whoever makes it, opens the driver and points
//! all slots at its functions (see [`resolve`]). Without a driver, calls answer `CUDA_ERROR_NO_DEVICE`, and what an old
//! driver lacks answers `CUDA_ERROR_NOT_FOUND`. Only a program that calls the symbols has them bound: this crate's own
//! calls go through [`super::table`].
//!
//! Two versions of this crate with the feature `cust` cannot be linked into one program: both would define the symbols.

#[macro_use]
mod names;
#[macro_use]
mod resolve;

use std::ffi::{c_char, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

use self::resolve::{Bind, resolve};
use super::driver;
use super::table::{CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NO_DEVICE, CUDA_ERROR_NOT_FOUND, CUDA_SUCCESS};

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(target_vendor = "apple")))))]
compile_error!("the feature `cust` needs x86_64 or aarch64, on Linux or Windows");

/// Where a symbol jumps to.
type Slot = AtomicPtr<c_void>;

/// A symbol: its name in the driver's library, and its slot.
struct Symbol {
    name: &'static str,
    slot: &'static Slot,
}

macro_rules! symbols {
    ($($name:ident)*) => {
        static SYMBOLS: &[Symbol] = &[$({
            static SLOT: Slot = AtomicPtr::new(resolve::<Symbols> as *mut c_void);

            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C" fn $name() -> u32 {
                jump!($name)
            }

            Symbol { name: stringify!($name), slot: &SLOT }
        }),*];
    };
}

with_names!(symbols);

/// All of them.
struct Symbols;

impl Bind for Symbols {
    /// Points all slots at the driver's functions, once. Other threads wait for that.
    extern "C" fn bind() {
        static BOUND: Once = Once::new();
        BOUND.call_once(|| {
            let library = driver::library().ok();
            for symbol in SYMBOLS {
                symbol.slot.store(symbol.target(library), Ordering::Release);
            }
        });
    }
}

impl Symbol {
    /// The driver's function of this name, or what answers in its place.
    fn target(&self, library: Option<&'static Library>) -> *mut c_void {
        let Some(library) = library else {
            return match self.name {
                "cuGetErrorName" | "cuGetErrorString" => no_text as *mut c_void,
                _ => no_driver as *mut c_void,
            };
        };
        // SAFETY: read as an address only.
        match unsafe { library.get::<unsafe extern "C" fn()>(self.name) } {
            Ok(function) => *function as *mut c_void,
            Err(_) => no_function as *mut c_void,
        }
    }
}

/// Without a driver. The arguments stay unread in their registers.
extern "C" fn no_driver() -> u32 {
    CUDA_ERROR_NO_DEVICE
}

/// Where the driver lacks the function.
extern "C" fn no_function() -> u32 {
    CUDA_ERROR_NOT_FOUND
}

/// The name or text of an error, without a driver. To fail here would have cust's errors fail to print, and those who
/// print them panic.
///
/// # Safety
///
/// `text` is null or may be written.
unsafe extern "C" fn no_text(_code: u32, text: *mut *const c_char) -> u32 {
    if text.is_null() {
        return CUDA_ERROR_INVALID_VALUE;
    }
    // SAFETY: the caller's promise.
    unsafe { text.write(c"no NVIDIA driver".as_ptr()) };
    CUDA_SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions as cust declares them: a name that it lacks does not compile.
    macro_rules! declared {
        ($($name:ident)*) => {
            [$(cust::sys::$name as *const c_void),*]
        };
    }

    #[test]
    fn all_that_cust_declares_is_here_and_links() {
        let declared = with_names!(declared);
        assert_eq!(declared.len(), 353, "as many as cust_raw 0.11.3 has");
        assert!(SYMBOLS.is_sorted_by(|a, b| a.name < b.name), "each once");
    }

    #[test]
    fn symbols_answer_through_cust_without_a_driver() {
        if driver::library().is_err() {
            let error = cust::init(cust::CudaFlags::empty()).unwrap_err();
            assert_eq!(error, cust::error::CudaError::NoDevice);
            assert_eq!(error.to_string(), "\"no NVIDIA driver\"");
        }
    }
}
