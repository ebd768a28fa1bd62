//! A device that is opened while the outputs are made: a GPU's driver takes a third of a second to start, and a file system about as
//! long to find room for a GiB.

use std::panic;
use std::thread::{Builder, JoinHandle};

use warplu::{Device, Error};

use crate::common::DeviceArgs;
use crate::failure::Result;

/// Dropped early, it waits: the end of the program would pull the driver from under the thread.
#[derive(Debug)]
pub(crate) struct Opening(Option<JoinHandle<Result<Device>>>);

impl Opening {
    pub(crate) fn start(args: &DeviceArgs) -> Result<Self> {
        let args = args.clone();
        let thread = Builder::new().name("device".to_owned()).spawn(move || args.open());
        Ok(Self(Some(thread.map_err(|e| Error::Threads(e.to_string()))?)))
    }

    pub(crate) fn wait(mut self) -> Result<Device> {
        let Some(thread) = self.0.take() else { unreachable!("only here and in the drop") };
        thread.join().unwrap_or_else(|payload| panic::resume_unwind(payload))
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        // What became of the device is no longer of interest.
        drop(self.0.take().map(JoinHandle::join));
    }
}
