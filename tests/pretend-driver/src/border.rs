//! The border to C: what the driver's functions answer, and how they read and write through a caller's pointers.

use std::ffi::{CStr, c_char};
use std::slice;

use crate::codes::INVALID_VALUE;

/// Why a call is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The driver's number of the error.
    pub(crate) code: u32,
    /// What the caller did wrong, where it is no ordinary error.
    pub(crate) fault: Option<String>,
}

impl From<u32> for Refusal {
    fn from(code: u32) -> Self {
        Self { code, fault: None }
    }
}

/// A refusal that is the caller's fault.
pub(crate) fn fault(code: u32, what: impl Into<String>) -> Refusal {
    Refusal { code, fault: Some(what.into()) }
}

/// What a call answers.
pub(crate) type Outcome<T = ()> = Result<T, Refusal>;

/// Where a caller wants a value. Only C makes one: its address is null, or good to be written.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Writes the value. A null pointer is an error.
    pub(crate) fn set(&self, value: T) -> Outcome {
        if self.0.is_null() {
            return Err(INVALID_VALUE.into());
        }
        // SAFETY: not null, so the caller's to be written.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Writes the value, if it is wanted at all.
    pub(crate) fn set_if_wanted(&self, value: T) {
        // Whoever gives no place wants no value.
        let _ = self.set(value);
    }
}

impl Out<usize> {
    /// The same place, for callers that want an integer there.
    pub(crate) fn narrow(&self) -> Out<i32> {
        Out(self.0.cast())
    }
}

impl Out<c_char> {
    /// Writes as much of the text as fits in `len` bytes, with a nul.
    pub(crate) fn set_text(&self, text: &str, len: i32) -> Outcome {
        let len = usize::try_from(len).unwrap_or(0);
        if self.0.is_null() || len == 0 {
            return Err(INVALID_VALUE.into());
        }
        // SAFETY: the caller's room for so many characters.
        let room = unsafe { slice::from_raw_parts_mut(self.0.cast::<u8>(), len) };
        let text = &text.as_bytes()[..text.len().min(len - 1)];
        room[..text.len()].copy_from_slice(text);
        room[text.len()] = 0;
        Ok(())
    }
}

/// A caller's text. Only C makes one: its address is null, or that of a nul-terminated string.
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// The text. A null pointer is an error.
    pub(crate) fn read(&self) -> Outcome<String> {
        if self.0.is_null() {
            return Err(INVALID_VALUE.into());
        }
        // SAFETY: not null, so a string.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}
