//! warplu's CUDA path on a pretend driver: what it calls, in which order, and what it does where calls fail.

#![cfg(target_os = "linux")]

mod bodies;
mod bounds;
mod calls;
mod context;
mod devices;
mod factors;
mod failures;
mod fork;
mod given_back;
mod kernels;
mod launches;
mod lazy;
mod lent;
mod pipeline;
mod resident_failures;
mod several;
mod several_factors;
mod small_call;
mod streams;
mod work;
