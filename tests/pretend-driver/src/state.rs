//! Everything that the driver knows, behind one lock.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::capture::{Capture, Graph};
use crate::context::Contexts;
use crate::event::Event;
use crate::failing::Failing;
use crate::function::{Function, Module};
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
