//! Everything that the driver knows, behind one lock, and the way into it.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::border::Outcome;
use crate::capture::Capture;
use crate::context::Contexts;
use crate::event::Event;
use crate::failing::{self, Failing};
use crate::function::{Function, Module};
use crate::graph::Graph;
use crate::launch::{Body, Launch};
use crate::memory::Memory;
use crate::notes::Notes;
use crate::stream::Stream;
use crate::table::Table;

/// What the driver knows.
pub(crate) struct State {
    pub(crate) notes: Notes,
    pub(crate) failing: Failing,
    pub(crate) contexts: Contexts,
    pub(crate) memory: Memory,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) modules: Table<Module>,
    pub(crate) functions: Table<Function>,
    pub(crate) captures: Table<Capture>,
    pub(crate) graphs: Table<Graph>,
    /// Graphs that can be launched.
    pub(crate) executables: Table<Graph>,
    pub(crate) launches: Vec<Launch>,
    /// What runs in the place of kernels.
    pub(crate) body: Option<Body>,
    /// How often work is not ready for who asks, before the asking makes it so.
    pub(crate) patience: u32,
    /// Marks of events that streams have reached.
    pub(crate) marks: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            notes: Notes::default(),
            failing: Failing::default(),
            contexts: Contexts::default(),
            memory: Memory::default(),
            streams: Table::new("stream"),
            events: Table::new("event"),
            modules: Table::new("module"),
            functions: Table::new("function"),
            captures: Table::new("capture"),
            graphs: Table::new("graph"),
            executables: Table::new("executable graph"),
            launches: Vec::new(),
            body: None,
            patience: 3,
            marks: 0,
        }
    }
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

/// The state, for the one caller at a time.
pub(crate) fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call of the driver: counts it, fails it where a test wants that, and otherwise does its work.
pub(crate) fn enter(function: &'static str, work: impl FnOnce(&mut State) -> Outcome) -> u32 {
    let mut state = lock();
    state.notes.calls += 1;
    let on_demand = state.failing.code(function);
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
