//! Work in a child of a fork.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than any work here takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Forks, has the child answer a question, and returns whether it said yes.
///
/// # Panics
/// If the child hangs.
#[must_use]
pub fn answers(question: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child does what the test is about, and ends without a look back.
    match unsafe { libc::fork() } {
        -1 => panic!("no fork: {}", std::io::Error::last_os_error()),
        0 => {
            let answer = catch_unwind(AssertUnwindSafe(question)).unwrap_or(false);
            // SAFETY: may be called at any time.
            unsafe { libc::_exit(i32::from(!answer)) }
        }
        child => {
            let (since, mut status) = (Instant::now(), 0);
            // SAFETY: writes one integer.
            while unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == 0 {
                if since.elapsed() > PATIENCE {
                    // SAFETY: the child is not waited for yet, so that the number is its own.
                    unsafe { libc::kill(child, libc::SIGKILL) };
                    panic!("the child hangs");
                }
                sleep(Duration::from_millis(5));
            }
            status == 0
        }
    }
}
