//! The pretend driver as C sees it.

#![cfg(target_os = "linux")]

mod api;
mod capture;
mod deferred;
mod faults;
mod launches;
