//! A device that is opened while the outputs are made: a GPU's driver takes a third of a second to start, and a file
//! system about as long to find room for a GiB.

use std::panic;
use std::thread::{Builder, JoinHandle};

use warplu::{Device, Error};

use crate::common::DeviceArgs;
use crate::failure::Result;

/// Dropped early, it waits: the end of the program would pull the driver from under the thread.
#[derive(Debug)]
pub(crate) struct Opening {
    thread: Option<JoinHandle<Result<Device>>>,
    device: Option<Device>,
}

impl Opening {
    pub(crate) fn start(args: &DeviceArgs) -> Result<Self> {
        let args = args.clone();
        let thread = Builder::new().name("device".to_owned()).spawn(move || args.open());
        Ok(Self { thread: Some(thread.map_err(|e| Error::Threads(e.to_string()))?), device: None })
    }

    /// Waits until the device is open.
    pub(crate) fn wait(&mut self) -> Result<Device> {
        if let Some(thread) = self.thread.take() {
            self.device = Some(thread.join().unwrap_or_else(|payload| panic::resume_unwind(payload))?);
        }
        let Some(device) = &self.device else { unreachable!("an error has ended the run") };
        Ok(device.clone())
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        // What became of the device is no longer of interest.
        drop(self.thread.take().map(JoinHandle::join));
    }
}
