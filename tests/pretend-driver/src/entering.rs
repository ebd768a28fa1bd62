//! The way into the driver: how its functions are defined, and what each call goes through before and after its work.

use crate::border::Outcome;
use crate::failing;
use crate::state::{State, lock};

/// Defines functions of the driver. Each body works on the [`State`], under its lock.
macro_rules! driver {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) |$state:pat_param| $body:expr;)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type),*) -> u32 {
            $crate::entering::enter(stringify!($name), |$state: &mut $crate::state::State| $body)
        }
    )*};
}
pub(crate) use driver;

/// A call of the driver: counts it, fails it where a test wants that, and otherwise does its work.
pub(crate) fn enter(function: &'static str, work: impl FnOnce(&mut State) -> Outcome) -> u32 {
    let mut state = lock();
    state.notes.calls += 1;
    let device = state.contexts.device(state.contexts.top());
    let on_demand = state.failing.code(function, device);
    if on_demand.is_some() && (failing::waits(function) || state.failing.lost()) {
        state.lose_queued_work();
    }
    let outcome = match on_demand {
        Some(_) if !failing::releases(function) => Ok(()),
        _ => work(&mut state),
    };
    let code = match outcome {
        Ok(()) => 0,
        Err(refusal) => {
            if let Some(what) = refusal.fault {
                state.notes.fault(format!("{function}: {what}"));
            }
            refusal.code
        }
    };
    let code = on_demand.unwrap_or(code);
    state.notes.call(function, code);
    code
}
