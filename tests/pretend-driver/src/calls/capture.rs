//! The calls that begin and end captures.

use crate::border::{Out, Outcome};
use crate::capture::Capture;
use crate::codes::{CAPTURE_UNMATCHED, CAPTURE_UNSUPPORTED, INVALID_VALUE};
use crate::entering::driver;
use crate::state::State;
use crate::table::Handle;

impl State {
    fn begin_capture(&mut self, stream: Handle, mode: u32) -> Outcome {
        let stream = self.stream(stream)?;
        let it = self.streams.get(stream)?;
        if it.is_default() || it.capture.is_some() {
            return Err(CAPTURE_UNSUPPORTED.into());
        }
        let capture = self.captures.insert(Capture::new(stream, mode));
        self.streams.get_mut(stream)?.capture = Some(capture);
        Ok(())
    }

    fn end_capture(&mut self, stream: Handle) -> Outcome<Handle> {
        let stream = self.stream(stream)?;
        let handle = self.streams.get(stream)?.capture.ok_or(INVALID_VALUE)?;
        if self.captures.get(handle)?.origin != stream {
            return Err(CAPTURE_UNMATCHED.into());
        }
        let capture = self.captures.remove(handle)?;
        for stream in self.streams.values_mut().filter(|stream| stream.capture == Some(handle)) {
            stream.capture = None;
        }
        Ok(self.graphs.insert(capture.end()?))
    }
}

driver! {
    fn cuStreamBeginCapture_v2(stream: Handle, mode: u32) |state| state.begin_capture(stream, mode);

    fn cuStreamEndCapture(stream: Handle, graph: Out<Handle>) |state| {
        let ended = state.end_capture(stream);
        graph.set_if_wanted(ended.as_ref().copied().unwrap_or(0));
        ended.map(|_| ())
    };

    fn cuStreamIsCapturing(stream: Handle, status: Out<u32>) |state| {
        let stream = state.stream(stream)?;
        status.set(match state.streams.get(stream)?.capture {
            None => 0,
            Some(capture) => 1 + u32::from(state.captures.get(capture)?.invalid),
        })
    };
}
