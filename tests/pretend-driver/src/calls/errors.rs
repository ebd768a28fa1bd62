//! The names of errors. These calls neither count nor fail on demand.

use std::ffi::c_char;

use crate::border::Out;
use crate::codes::{INVALID_VALUE, name};

/// Answers with a constant text.
fn answer(code: u32, text: &Out<*const c_char>) -> u32 {
    match name(code) {
        Some(name) => text.set(name.as_ptr()).map_or_else(|refusal| refusal.code, |()| 0),
        None => INVALID_VALUE,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuGetErrorName(code: u32, text: Out<*const c_char>) -> u32 {
    answer(code, &text)
}

#[unsafe(no_mangle)]
extern "C" fn cuGetErrorString(code: u32, text: Out<*const c_char>) -> u32 {
    answer(code, &text)
}
