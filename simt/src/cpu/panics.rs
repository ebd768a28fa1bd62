//! A kernel's own panics, which become faults.

use std::panic::{set_hook, take_hook};
use std::sync::Once;

use super::current;

/// From here on, panics in kernels are noted instead of printed. Other panics go to the hook that there was.
pub(super) fn intercept() {
    static ONCE: Once = Once::new();
    // The hook cannot be changed from a destructor that runs during a panic.
    if std::thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| match current::running() {
            Some((cluster, id)) => {
                if let Some(location) = info.location() {
                    cluster.panicked(id, location);
                }
            }
            None => others(info),
        }));
    });
}
