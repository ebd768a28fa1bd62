//! The pretend driver, for tests of the CUDA path without a GPU.
//!
//! A test opens it before anything else, works with `Device::cuda`, drops what it made, and finishes:
//! ```no_run
//! use warplu_tests::pretend::Pretend;
//!
//! let pretend = Pretend::open();
//! let device = warplu::Device::cuda(0).unwrap();
//! drop(device);
//! pretend.finish();
//! ```

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CStr, CString, c_char, c_void};
use std::slice;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use libloading::Library;

/// What the driver counts, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Calls since the driver was opened; not those for names of errors.
    Calls = 0,
    /// Live allocations of devices.
    DeviceMemory = 1,
    /// Their bytes.
    DeviceBytes = 2,
    /// Live allocations of pinned memory.
    Pinned = 3,
    /// Registered ranges of the host's memory.
    Registered = 4,
    /// Live streams, without the default ones.
    Streams = 5,
    /// Live events.
    Events = 6,
    /// Loaded modules.
    Modules = 7,
    /// Holds on primary contexts.
    Contexts = 8,
    /// Threads that have a context that is current.
    BoundThreads = 9,
    /// Graphs, and executable ones.
    Graphs = 10,
    /// Captures that go on.
    Captures = 11,
    /// Launches of kernels since the driver was opened.
    Launches = 12,
    /// Copies from or to memory that is neither pinned nor registered.
    PageableCopies = 13,
    /// Copies, fills and launches that nobody has waited for.
    Queued = 14,
    /// Bytes of pinned memory.
    PinnedBytes = 15,
    /// The most bytes of devices at once, since the trace began.
    MostDeviceBytes = 16,
    /// The most bytes of pinned memory at once, since the trace began.
    MostPinnedBytes = 17,
}

/// What must be gone at the end of a test.
const LIVE: [Count; 11] = [
    Count::DeviceMemory,
    Count::Pinned,
    Count::Registered,
    Count::Streams,
    Count::Events,
    Count::Modules,
    Count::Contexts,
    Count::BoundThreads,
    Count::Graphs,
    Count::Captures,
    Count::Queued,
];

/// What runs in the place of kernels, when their turn in the stream comes: it gets the entry's name and the parameters
/// as the kernel would. It must not call the driver, and a panic in it ends the process.
pub type Body = extern "C" fn(name: *const c_char, parameters: *const u8);

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The entry point.
    pub name: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: u32,
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The GPU.
    pub device: i32,
    /// The bytes of its parameters, each at a multiple of 8.
    pub parameters: Vec<u8>,
}

/// A copy between the host and a GPU, as the driver shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct HostCopy {
    /// The host's address.
    pub host: usize,
    /// Bytes.
    pub len: usize,
    /// Whether it is an upload.
    pub to_device: bool,
    /// Whether the host's memory is pinned or registered.
    pub locked: bool,
}

impl HostCopy {
    /// Whether it is from or to memory of these elements, and no other.
    #[must_use]
    pub fn is_within<T>(&self, elements: &[T]) -> bool {
        let memory = elements.as_ptr_range();
        memory.start.addr() <= self.host && self.host + self.len <= memory.end.addr()
    }
}

/// A launch as the driver shows it.
#[repr(C)]
struct View {
    name: *const c_char,
    parameters: *const u8,
    parameter_bytes: usize,
    grid: [u32; 3],
    cluster: u32,
    block: [u32; 3],
    shared_bytes: u32,
    device: i32,
}

type Visit<T> = extern "C" fn(context: *mut c_void, item: *const T);

/// The library, open for the rest of the process.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    // Cargo builds it beside the test program, as a dependency of it.
    let program = env::current_exe().expect("the test program has a path");
    let path = program.with_file_name("libpretend_driver.so");
    // SAFETY: this project's own library, which does nothing when it is opened.
    unsafe { Library::new(&path) }.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
});

/// The driver serves one test at a time.
static TURN: Mutex<()> = Mutex::new(());

/// The pretend driver, for one test.
#[derive(Debug)]
pub struct Pretend {
    _turn: MutexGuard<'static, ()>,
}

/// Calls a function of the driver, which exports it under this name and with this type.
macro_rules! call {
    ($name:ident($($argument:expr => $type:ty),*) $(-> $result:ty)?) => {{
        let name = concat!(stringify!($name), "\0").as_bytes();
        // SAFETY: the type is that of the function's definition.
        let function = unsafe { LIBRARY.get::<extern "C" fn($($type),*) $(-> $result)?>(name) };
        function.unwrap_or_else(|error| panic!("{error}"))($($argument),*)
    }};
}

impl Pretend {
    /// Opens the driver, waits for other tests to finish with it, and resets it. From here on it is the driver of this
    /// process.
    #[must_use]
    pub fn open() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        call!(pretend_reset());
        Self { _turn: turn }
    }

    /// The number of something.
    #[must_use]
    pub fn count(&self, what: Count) -> u64 {
        call!(pretend_count(what as u32 => u32) -> u64)
    }

    /// What is alive, by kinds; nothing is left out but what there is none of.
    #[must_use]
    pub fn live(&self) -> BTreeMap<Count, u64> {
        LIVE.into_iter().map(|what| (what, self.count(what))).filter(|&(_, count)| count > 0).collect()
    }

    /// Lets the `n`th call from now fail with a code, the next call being 1; 0 lets none. A `sticky` one takes the GPU
    /// with it: all later calls fail too, but those about devices and about which context is current.
    pub fn fail_call(&self, n: u64, code: u32, sticky: bool) {
        call!(pretend_fail_call(n => u64, code => u32, sticky => bool));
    }

    /// Lets every call of a function fail with a code, or none if that is 0.
    pub fn fail_function(&self, name: &str, code: u32) {
        let name = CString::new(name).expect("a function's name");
        call!(pretend_fail_function(name.as_ptr() => *const c_char, code => u32));
    }

    /// Lets every call of a function in the context of one GPU fail with a code, or none if that is 0.
    pub fn fail_function_on(&self, gpu: i32, name: &str, code: u32) {
        let name = CString::new(name).expect("a function's name");
        call!(pretend_fail_function_on(gpu => i32, name.as_ptr() => *const c_char, code => u32));
    }

    /// The compute capability of a GPU, times 10: 90 unless this is called before the GPU is opened.
    pub fn set_capability(&self, gpu: i32, capability: i32) {
        call!(pretend_capability(gpu => i32, capability => i32));
    }

    /// The function that failed first because a test wanted it to.
    #[must_use]
    pub fn failed(&self) -> Option<String> {
        self.texts(2).pop()
    }

    /// The bytes of each GPU, and those that may be pinned: 256 MiB each unless this is called.
    pub fn set_limits(&self, device: usize, pinned: usize) {
        call!(pretend_limit(device => usize, pinned => usize));
    }

    /// How many GPUs there are: two unless this is called.
    pub fn set_devices(&self, count: i32) {
        call!(pretend_devices(count => i32));
    }

    /// How often a query says that work is not ready before it does the work itself: 3 times unless this is called.
    pub fn set_patience(&self, queries: u32) {
        call!(pretend_patience(queries => u32));
    }

    /// What runs in the place of kernels; nothing unless this is called.
    pub fn set_body(&self, body: Option<Body>) {
        call!(pretend_body(body => Option<Body>));
    }

    /// Begins a new trace of calls and of copies.
    pub fn begin_trace(&self) {
        call!(pretend_trace(true => bool));
    }

    /// The calls since the trace began; those that failed with their code.
    #[must_use]
    pub fn trace(&self) -> Vec<String> {
        self.texts(1)
    }

    /// The copies between the host and GPUs since the trace began.
    #[must_use]
    pub fn copies(&self) -> Vec<HostCopy> {
        extern "C" fn visit(context: *mut c_void, copy: *const HostCopy) {
            // SAFETY: the vector below, and a copy that lives until this returns; both are nobody else's now.
            let (copies, copy) = unsafe { (&mut *context.cast::<Vec<HostCopy>>(), &*copy) };
            copies.push(copy.clone());
        }
        let mut copies = Vec::<HostCopy>::new();
        let context = (&raw mut copies).cast();
        call!(pretend_copies(visit => Visit<HostCopy>, context => *mut c_void));
        copies
    }

    /// The bytes of these copies: to GPUs, and from them.
    #[must_use]
    pub fn copied(&self) -> (usize, usize) {
        let copies = self.copies();
        let bytes = |to_device| copies.iter().filter(|copy| copy.to_device == to_device).map(|copy| copy.len).sum();
        (bytes(true), bytes(false))
    }

    /// What callers of the driver did wrong.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.texts(0)
    }

    /// The launches of kernels, in the order of the calls.
    #[must_use]
    pub fn launches(&self) -> Vec<Launch> {
        extern "C" fn visit(context: *mut c_void, view: *const View) {
            // SAFETY: the vector below, and a view that lives until this returns; both are nobody else's now.
            let (launches, view) = unsafe { (&mut *context.cast::<Vec<Launch>>(), &*view) };
            // SAFETY: a string, and so many bytes.
            let (name, parameters) =
                unsafe { (CStr::from_ptr(view.name), slice::from_raw_parts(view.parameters, view.parameter_bytes)) };
            launches.push(Launch {
                name: name.to_string_lossy().into_owned(),
                grid: view.grid,
                cluster: view.cluster,
                block: view.block,
                shared_bytes: view.shared_bytes,
                device: view.device,
                parameters: parameters.to_vec(),
            });
        }
        let mut launches = Vec::<Launch>::new();
        let context = (&raw mut launches).cast();
        call!(pretend_launches(visit => Visit<View>, context => *mut c_void));
        launches
    }

    /// A function of the driver, to be called by a test itself.
    ///
    /// # Safety
    /// `F` is the type of the function that the driver exports under this name.
    #[must_use]
    pub unsafe fn function<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the caller's promise.
        *unsafe { LIBRARY.get::<F>(name.as_bytes()) }.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The end of a test that has dropped all it made.
    ///
    /// # Panics
    /// Somebody misused the driver, or something is still alive.
    pub fn finish(self) {
        let faults = self.faults();
        assert!(faults.is_empty(), "faults: {faults:#?}");
        let live = self.live();
        assert!(live.is_empty(), "still alive: {live:?}");
    }

    fn texts(&self, what: u32) -> Vec<String> {
        extern "C" fn visit(context: *mut c_void, text: *const c_char) {
            // SAFETY: the vector below, and a string that lives until this returns; both are nobody else's now.
            let (texts, text) = unsafe { (&mut *context.cast::<Vec<String>>(), CStr::from_ptr(text)) };
            texts.push(text.to_string_lossy().into_owned());
        }
        let mut texts = Vec::<String>::new();
        let context = (&raw mut texts).cast();
        call!(pretend_texts(what => u32, visit => Visit<c_char>, context => *mut c_void));
        texts
    }
}
