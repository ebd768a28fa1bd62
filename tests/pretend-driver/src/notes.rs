//! What the driver notes for tests: calls, faults, launches.

/// What has happened since the last reset.
#[derive(Default)]
pub(crate) struct Notes {
    /// Calls of the driver.
    pub(crate) calls: u64,
    /// Copies from or to memory of the host that is neither pinned nor registered.
    pub(crate) pageable_copies: u64,
    /// What callers did wrong.
    pub(crate) faults: Vec<String>,
    /// The calls one by one, if they are wanted.
    trace: Option<Vec<String>>,
    /// The copies from and to the host, as far back as the trace.
    pub(crate) copies: Vec<HostCopy>,
}

/// A copy between the host and a device. Tests see it as it is.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct HostCopy {
    /// The host's address.
    pub(crate) host: usize,
    pub(crate) len: usize,
    pub(crate) to_device: bool,
    /// Whether the host's memory is pinned or registered.
    pub(crate) locked: bool,
}

impl Notes {
    /// Notes a call and, where it failed, the code.
    pub(crate) fn call(&mut self, function: &str, code: u32) {
        if let Some(trace) = &mut self.trace {
            trace.push(match code {
                0 => function.to_owned(),
                code => format!("{function}: {code}"),
            });
        }
    }

    /// Notes that a caller did wrong.
    pub(crate) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    /// Begins a new trace of calls, or ends it.
    pub(crate) fn set_trace(&mut self, on: bool) {
        self.trace = on.then(Vec::new);
        self.copies.clear();
    }

    /// Notes a copy.
    pub(crate) fn copy(&mut self, copy: HostCopy) {
        if self.trace.is_some() {
            self.copies.push(copy);
        }
        self.pageable_copies += u64::from(!copy.locked);
    }

    /// The calls since the trace began.
    pub(crate) fn trace(&self) -> &[String] {
        self.trace.as_deref().unwrap_or_default()
    }
}
