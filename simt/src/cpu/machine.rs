//! What the kernel API calls: the functions that `gpu` offers, in the block that runs on this OS thread.

use std::cell::Cell;
use std::panic::Location;
use std::ptr;

use super::block::Block;
use super::collective::{Call, Operation};
use crate::Pod;

thread_local! {
    /// The block that runs on this OS thread, if one does.
    static BLOCK: Cell<*const Block<'static>> = const { Cell::new(ptr::null()) };
}

/// Runs `body` with `block` as the one that kernels see.
pub(super) fn enter(block: &Block<'_>, body: impl FnOnce()) {
    struct Leave(*const Block<'static>);
    impl Drop for Leave {
        fn drop(&mut self) {
            BLOCK.set(self.0);
        }
    }
    let _leave = Leave(BLOCK.replace(ptr::from_ref(block).cast()));
    body();
}

/// The block and the thread that run, if this is a kernel.
#[inline]
pub(super) fn running<'a>() -> Option<(&'a Block<'a>, u32)> {
    // SAFETY: `enter` keeps the block borrowed while it is set, and a thread of the block does not outlive that.
    let block = unsafe { BLOCK.get().cast::<Block<'a>>().as_ref() }?;
    Some((block, block.current()?))
}

#[inline]
#[track_caller]
fn kernel<'a>() -> (&'a Block<'a>, u32) {
    running().expect("kernel functions of simt work in a kernel only: code that simt::cpu::run runs")
}

#[inline]
#[track_caller]
pub(crate) fn thread_index() -> u32 {
    kernel().1
}

#[inline]
#[track_caller]
pub(crate) fn block_index() -> u32 {
    kernel().0.index
}

#[inline]
#[track_caller]
pub(crate) fn block_dim() -> u32 {
    kernel().0.grid.launch.block
}

#[inline]
#[track_caller]
pub(crate) fn grid_dim() -> u32 {
    kernel().0.grid.launch.grid
}

#[track_caller]
pub(crate) fn sync_threads() {
    let (block, thread) = kernel();
    block.barrier(thread, Location::caller());
}

#[track_caller]
pub(crate) fn sync_warp(mask: u32) {
    collective(Operation::Sync, mask, [0; 4], 0);
}

#[track_caller]
pub(crate) fn ballot(mask: u32, predicate: bool) -> u32 {
    collective(Operation::Ballot, mask, [predicate.into(), 0, 0, 0], 0)[0]
}

#[track_caller]
pub(crate) fn max_u32(mask: u32, value: u32) -> u32 {
    collective(Operation::Max, mask, [value, 0, 0, 0], 0)[0]
}

#[track_caller]
pub(crate) fn shuffle<T: Pod>(mask: u32, value: T, source: u32) -> T {
    let mut words = [0; 4];
    // SAFETY: plain data of at most 16 bytes, as the API asserts.
    unsafe { (&raw mut words).cast::<T>().write_unaligned(value) };
    let words = collective(Operation::Shuffle { bytes: size_of::<T>() }, mask, words, source % 32);
    // SAFETY: the bytes of a `T`.
    unsafe { (&raw const words).cast::<T>().read_unaligned() }
}

#[track_caller]
fn collective(operation: Operation, mask: u32, value: [u32; 4], source: u32) -> [u32; 4] {
    let (block, thread) = kernel();
    block.collective(thread, &Call { operation, mask, location: Location::caller(), value, source })
}

/// Offset of an array in shared memory.
pub(crate) type SharedBase = u32;

pub(crate) unsafe fn shared_base(offset: u32) -> SharedBase {
    offset
}

#[track_caller]
pub(crate) unsafe fn load_shared<T: Pod>(base: SharedBase, i: u32) -> T {
    let (block, thread) = kernel();
    let location = Location::caller();
    load(|bytes| block.load_shared(thread, location, shared_offset::<T>(base, i), align_of::<T>(), bytes))
}

#[track_caller]
pub(crate) unsafe fn store_shared<T: Pod>(base: SharedBase, i: u32, value: T) {
    let (block, thread) = kernel();
    let offset = shared_offset::<T>(base, i);
    block.store_shared(thread, Location::caller(), offset, align_of::<T>(), bytes_of(&value));
}

#[track_caller]
pub(crate) unsafe fn load_global<T: Pod>(address: *const T) -> T {
    let (block, thread) = kernel();
    let location = Location::caller();
    load(|bytes| block.load_global(thread, location, address.addr() as u64, align_of::<T>(), bytes))
}

#[track_caller]
pub(crate) unsafe fn store_global<T: Pod>(address: *mut T, value: T) {
    let (block, thread) = kernel();
    block.store_global(thread, Location::caller(), address.addr() as u64, align_of::<T>(), bytes_of(&value));
}

#[inline]
fn shared_offset<T>(base: SharedBase, i: u32) -> u64 {
    u64::from(base) + u64::from(i) * size_of::<T>() as u64
}

/// The value whose bytes `fill` stores.
#[inline]
fn load<T: Pod>(fill: impl FnOnce(&mut [u8])) -> T {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: the bytes of the value, all of them initialised.
    fill(unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>()) });
    // SAFETY: any bytes are a plain value.
    unsafe { value.assume_init() }
}

#[inline]
fn bytes_of<T: Pod>(value: &T) -> &[u8] {
    // SAFETY: plain data without padding.
    unsafe { std::slice::from_raw_parts(ptr::from_ref(value).cast(), size_of::<T>()) }
}
