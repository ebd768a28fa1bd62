//! Queues beside a caller's, which a machine keeps from call to call.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Backend, Event, Queue};
use crate::error::Result;

/// A queue beside the caller's, for the panels of large matrices, which all else waits for, and marks that tie the two together.
#[derive(Debug)]
pub(crate) struct PanelQueue {
    pub(crate) queue: Queue,
    /// Behind the last panel of even number, and of odd number.
    pub(crate) panels: [Event; 2],
    /// Behind the last update; at first behind the caller's work.
    pub(crate) update: Event,
}

impl Backend {
    /// A panel queue that no other route has. Who enqueues with it holds its lock.
    pub(crate) fn panel_queue(&self) -> Result<Arc<Mutex<PanelQueue>>> {
        let Self::Cuda(cuda) = self else { return self.new_panel_queue() };
        let mut kept = cuda.kept.panel_queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(free) = kept.iter().find(|queue| Arc::strong_count(queue) == 1) {
            return Ok(Arc::clone(free));
        }
        let new = self.new_panel_queue()?;
        kept.push(Arc::clone(&new));
        Ok(new)
    }

    fn new_panel_queue(&self) -> Result<Arc<Mutex<PanelQueue>>> {
        let event = || self.event(false);
        let queue = PanelQueue { queue: self.urgent_queue()?, panels: [event()?, event()?], update: event()? };
        Ok(Arc::new(Mutex::new(queue)))
    }
}
