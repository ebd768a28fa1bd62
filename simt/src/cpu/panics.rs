//! A kernel's own panics, which become faults.

use std::any::Any;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

use super::machine;

/// From here on, panics in kernels are noted instead of printed. Other panics go to the hook that there was.
pub(super) fn intercept() {
    static ONCE: Once = Once::new();
    // The hook cannot be changed from a destructor that runs during a panic.
    if std::thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| match machine::running() {
            Some((block, thread)) => {
                if let Some(location) = info.location() {
                    block.panicked(thread, location);
                }
            }
            None => others(info),
        }));
    });
}

/// A panic's message.
pub(super) fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "the kernel panicked".to_owned()
    }
}
