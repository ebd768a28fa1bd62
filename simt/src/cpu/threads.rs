//! Rayon's threads: the global ones or, in a child of a fork, which has none of its parent's, a pool of its own.

use std::mem::forget;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads that may be asked for, for each that the machine has.
const MOST: usize = 4;

/// The forks between the process that first asked and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// How many forks lie between the process that first asked and this one: what belonged to the threads or to the GPU's
/// driver under another number is of no use any more.
pub fn forks() -> usize {
    #[cfg(unix)]
    {
        extern "C" fn count() {
            FORKS.fetch_add(1, Ordering::Relaxed);
        }
        static COUNTED: std::sync::Once = std::sync::Once::new();
        COUNTED.call_once(|| {
            // SAFETY: the function may run between fork and exec: it does nothing but count. Without memory for its
            // registration, forks are not seen.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(count)) };
        });
    }
    FORKS.load(Ordering::Relaxed)
}

/// Does work that rayon is to spread over threads. After a fork, rayon would wait for ever for those of the parent.
pub fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if forks() == 0 || rayon::current_thread_index().is_some() {
        return work();
    }
    match pool_of_child() {
        Ok(pool) => pool.install(work),
        Err(_) => {
            // This thread alone, for good.
            forget(ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
            work()
        }
    }
}

/// Starts the threads, if nobody has.
///
/// # Errors
/// If the system gives none: what it says.
pub fn start() -> Result<(), String> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    if forks() > 0 {
        return pool_of_child().map(|_| ());
    }
    let start = || match builder().build_global() {
        Ok(()) => Ok(()),
        // The program has made it before.
        Err(error) if std::error::Error::source(&error).is_none() => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    STARTED.get_or_init(start).clone()
}

/// As many threads as `RAYON_NUM_THREADS` says, or as the machine has, but no multitude.
fn builder() -> ThreadPoolBuilder {
    let most = MOST * available_parallelism().map_or(1, usize::from);
    let wanted = std::env::var("RAYON_NUM_THREADS").ok().and_then(|wanted| wanted.parse::<usize>().ok());
    ThreadPoolBuilder::new().num_threads(wanted.map_or(0, |wanted| wanted.min(most)))
}

/// The threads of a child.
struct Child {
    forks: usize,
    pool: ThreadPool,
}

/// Those of this process, made when they are first wanted. No lock, which a thread that is not in the child may hold.
fn pool_of_child() -> Result<&'static ThreadPool, String> {
    static CHILD: AtomicPtr<Child> = AtomicPtr::new(std::ptr::null_mut());
    let (forks, known) = (forks(), CHILD.load(Ordering::Acquire));
    // SAFETY: null, or what was put there below, which nobody frees.
    if let Some(child) = unsafe { known.as_ref() }
        && child.forks == forks
    {
        return Ok(&child.pool);
    }
    let pool = builder().build().map_err(|error| error.to_string())?;
    let own = Box::into_raw(Box::new(Child { forks, pool }));
    let child = match CHILD.compare_exchange(known, own, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => own,
        Err(of_another_thread) => {
            // SAFETY: nobody else has seen it.
            drop(unsafe { Box::from_raw(own) });
            of_another_thread
        }
    };
    // SAFETY: as above; other threads put there what is of this process.
    Ok(unsafe { &(*child).pool })
}
