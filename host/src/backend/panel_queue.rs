//! Queues beside a caller's, which calls use one after the other.

use std::sync::{Mutex, PoisonError};

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

/// A panel queue that goes back to its machine, for the next who needs one.
#[derive(Debug)]
pub(crate) struct LentPanelQueue {
    backend: Backend,
    /// Some until it is dropped.
    queue: Mutex<Option<PanelQueue>>,
}

impl Backend {
    /// A panel queue that nobody uses.
    pub(crate) fn panel_queue(&self) -> Result<LentPanelQueue> {
        let spare = match self {
            Self::Cpu | Self::Sim(_) => None,
            Self::Cuda(cuda) => cuda.panel_queues.lock().unwrap_or_else(PoisonError::into_inner).pop(),
        };
        let event = || self.event(false);
        let queue = match spare {
            Some(queue) => queue,
            None => PanelQueue { queue: self.urgent_queue()?, panels: [event()?, event()?], update: event()? },
        };
        Ok(LentPanelQueue { backend: self.clone(), queue: Mutex::new(Some(queue)) })
    }
}

impl LentPanelQueue {
    /// Enqueues with it, one caller at a time.
    pub(crate) fn with<R>(&self, enqueue: impl FnOnce(&mut PanelQueue) -> Result<R>) -> Result<Option<R>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.as_mut().map(enqueue).transpose()
    }
}

impl Drop for LentPanelQueue {
    fn drop(&mut self) {
        let queue = self.queue.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let (Backend::Cuda(cuda), Some(queue)) = (&self.backend, queue) {
            cuda.panel_queues.lock().unwrap_or_else(PoisonError::into_inner).push(queue);
        }
    }
}
