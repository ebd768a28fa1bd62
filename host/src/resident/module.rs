//! PTX of the caller's, loaded.

use std::ffi::CString;
use std::sync::Arc;

use super::kernel::{Code, Kernel};
use super::uses::Allocation;
use crate::backend::{Backend, Memory};
use crate::cuda;
use crate::device::Device;
use crate::error::{Error, Result};

/// PTX of the caller's, loaded on a device: kernels to [launch](Kernel::launch) on its streams.
///
/// It is unloaded when it and all of its kernels are dropped and the work that they were given is done.
#[derive(Clone, Debug)]
pub struct Module {
    pub(super) backend: Backend,
    /// On a GPU.
    loaded: Option<Arc<cuda::Module>>,
    entries: Arc<[Entry]>,
}

/// A kernel of the PTX.
#[derive(Debug)]
struct Entry {
    name: String,
    /// Bytes of each parameter.
    parameters: Vec<usize>,
}

impl Module {
    /// Loads PTX. On a GPU its driver compiles it, which may take a while where it has not done so before; on other
    /// devices only its kernels' names and parameters are read, for there their functions run in the emulator.
    ///
    /// # Safety
    /// `ptx` is what a compiler emitted, such as `warplu-simt-build`: drivers are not made to withstand other texts. No
    /// CUDA graph that holds launches of its kernels outlives these.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a text that is no PTX, or PTX for newer GPUs than this one, and for several devices
    /// in one; the driver's errors.
    pub unsafe fn load(device: &Device, ptx: &str) -> Result<Self> {
        let backend = device.machine()?.clone();
        let entries = entries(ptx).filter(|entries| !entries.is_empty());
        let entries = entries.ok_or_else(|| Error::Unsupported("the text is no PTX with kernels".to_owned()))?;
        let loaded = match &backend {
            Backend::Cuda(cuda) => {
                let (major, minor) = cuda.gpu.capability();
                let needed = target(ptx).filter(|sm| *sm > 10 * major + minor);
                if let Some(needed) = needed {
                    return Err(Error::Unsupported(format!(
                        "the PTX is for sm_{needed}, but the GPU's compute capability is {major}.{minor}: compile the \
                         kernels for sm_{major}{minor} or lower"
                    )));
                }
                let ptx = CString::new(ptx).map_err(|_| Error::Unsupported("PTX has no zero byte".to_owned()))?;
                // SAFETY: the caller's promise.
                Some(Arc::new(unsafe { cuda::Module::load(&cuda.gpu, &ptx)? }))
            }
            Backend::Cpu | Backend::Sim(_) => None,
        };
        Ok(Self { backend, loaded, entries: entries.into() })
    }

    /// The kernel of this name, whose Rust function is `function`: what [`simt::kernels!`] made of the same source.
    /// Where there is no GPU, this is what runs.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the PTX has no such kernel, or it takes another argument than the function; the
    /// driver's errors.
    pub fn kernel<A: Copy + Send + Sync + 'static>(&self, name: &str, function: unsafe fn(A)) -> Result<Kernel<A>> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else {
            let names: Vec<_> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
            return Err(Error::Unsupported(format!("the PTX has no kernel {name}, but {}", names.join(", "))));
        };
        let bytes = size_of::<A>();
        if entry.parameters.iter().copied().ne((bytes > 0).then_some(bytes)) {
            return Err(Error::Unsupported(format!(
                "the kernel {name} takes parameters of {:?} bytes, not one of {bytes}: compile it and the program from \
                 one source, with an argument of repr(C)",
                entry.parameters
            )));
        }
        let code = match &self.loaded {
            Some(module) => Code::Cuda(cuda::Function::get(Arc::clone(module), name)?),
            None => Code::Host,
        };
        // Of no bytes, it is only there to be waited for.
        let work = Allocation::new(self.backend.clone(), Memory::Foreign { address: 0, len: 0 });
        Ok(Kernel::new(work, code, function, name))
    }
}

/// The compute capability, times ten, that a text of PTX is for.
fn target(ptx: &str) -> Option<u32> {
    let line = ptx.lines().find_map(|line| line.trim().strip_prefix(".target"))?;
    let digits = line.trim().strip_prefix("sm_")?;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The kernels of a text of PTX, if it is one.
fn entries(ptx: &str) -> Option<Vec<Entry>> {
    ptx.contains(".version").then_some(())?;
    ptx.split(".entry").skip(1).map(entry).collect()
}

/// The name and the parameters behind `.entry`: `name(.param .align 8 .b8 name_param_0[72], .param .u64 name_param_1)`.
fn entry(text: &str) -> Option<Entry> {
    let (name, rest) = text.split_once(['(', '{'])?;
    let parameters = match text.trim_start().strip_prefix(name.trim())?.trim_start().starts_with('(') {
        true => rest.split_once(')')?.0.split(".param").skip(1).map(size).collect::<Option<_>>()?,
        false => Vec::new(),
    };
    Some(Entry { name: name.split_whitespace().next()?.to_owned(), parameters })
}

/// The bytes of a parameter that is declared as `.align 8 .b8 name[72]` or `.u64 name`.
fn size(declaration: &str) -> Option<usize> {
    let types = declaration.split_whitespace().filter_map(|word| word.strip_prefix('.'));
    let bits: usize =
        types.filter_map(|word| word.strip_prefix(['b', 'u', 's', 'f'])).find_map(|bits| bits.parse().ok())?;
    match declaration.split_once('[') {
        Some((_, rest)) => Some(bits / 8 * rest.split_once(']')?.0.trim().parse::<usize>().ok()?),
        None => Some(bits / 8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry scale(\n\t.param .align 8 .b8 \
                       scale_param_0[24]\n)\n{\n\tret;\n}\n.visible .entry two(\n\t.param .u64 two_param_0,\n\t.param \
                       .f32 two_param_1\n)\n.maxntid 512, 1, 1\n{\n\tret;\n}\n.visible .entry none()\n{\n\tret;\n}\n\
                       .visible .entry bare\n{\n\tret;\n}\n";

    unsafe fn three(_: [f64; 3]) {}
    unsafe fn nothing(_: ()) {}

    #[test]
    fn kernels_are_found_with_their_parameters() {
        let found: Vec<_> = entries(PTX).unwrap().into_iter().map(|entry| (entry.name, entry.parameters)).collect();
        let expected = [("scale", vec![24]), ("two", vec![8, 4]), ("none", vec![]), ("bare", vec![])];
        assert_eq!(found, expected.map(|(name, sizes)| (name.to_owned(), sizes)));
        assert_eq!(target(PTX), Some(80));
        assert_eq!(target(".target sm_90a, debug\n"), Some(90));
        assert!(entries("notes").is_none() && target("notes").is_none());
    }

    #[test]
    fn kernels_that_do_not_fit_are_refused() {
        // SAFETY: no driver gets to see these.
        let load = |text| unsafe { Module::load(&Device::cpu(), text) };
        let module = load(PTX).unwrap();
        assert!(module.kernel("scale", three).is_ok());
        assert!(module.kernel("none", nothing).is_ok());
        let error = module.kernel("scales", three).unwrap_err().to_string();
        assert!(error.contains("no kernel scales, but scale, two"), "{error}");
        assert!(module.kernel("two", three).unwrap_err().to_string().contains("[8, 4] bytes"));
        assert!(module.kernel("scale", nothing).is_err());
        assert!(load("notes").is_err() && load(".version 7.0\n").is_err());
        assert!(load(".version 7.0\n.entry cut(").is_err());
    }
}
