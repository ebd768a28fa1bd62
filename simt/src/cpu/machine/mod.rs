//! What the kernel API calls: the functions that `gpu` offers, in the block that runs on this OS thread.

pub(crate) mod cluster;

use std::mem::MaybeUninit;
use std::panic::Location;
use std::{ptr, slice};

use crate::Pod;
use crate::cpu::access::Caller;
use crate::cpu::collective::{Call, Operation};
use crate::cpu::copies::{Arrival, Copies};
use crate::cpu::current;
use crate::cpu::product::Fragments;

#[inline]
#[track_caller]
fn caller<'a>() -> Caller<'a> {
    match current::running() {
        Some((cluster, id)) => Caller { cluster, id, location: Location::caller() },
        None => panic!("kernel functions work in a kernel only: in what simt::cpu::run runs"),
    }
}

#[track_caller]
pub(crate) fn thread_index() -> u32 {
    caller().id.thread
}

#[track_caller]
pub(crate) fn block_index() -> u32 {
    caller().block()
}

#[track_caller]
pub(crate) fn block_dim() -> u32 {
    caller().cluster.grid.launch.block
}

#[track_caller]
pub(crate) fn grid_dim() -> u32 {
    caller().cluster.grid.launch.grid
}

#[track_caller]
pub(crate) fn sync_threads() {
    let Caller { cluster, id, location } = caller();
    cluster.block_barrier(id, location);
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
pub(crate) fn any(mask: u32, predicate: bool) -> bool {
    ballot(mask, predicate) != 0
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
pub(crate) fn shuffle_xor<T: Pod>(mask: u32, value: T, distance: u32) -> T {
    shuffle(mask, value, (thread_index() % 32) ^ distance)
}

#[track_caller]
fn collective(operation: Operation, mask: u32, value: [u32; 4], source: u32) -> [u32; 4] {
    let Caller { cluster, id, location } = caller();
    cluster.collective(id, &Call { operation, mask, location, value, source, fragments: None })
}

#[track_caller]
pub(crate) fn multiply(c: [f64; 4], a: [f64; 4], b: [f64; 2]) -> [f64; 4] {
    let Caller { cluster, id, location } = caller();
    let fragments = Some(&Fragments { a, b, c });
    let (operation, mask) = (Operation::Product, u32::MAX);
    cluster.product(id, &Call { operation, mask, location, value: [0; 4], source: 0, fragments })
}

#[track_caller]
pub(crate) fn multiply_tf32(c: [f32; 4], a: [f32; 4], b: &[f32; 2]) -> [f32; 4] {
    let upper = |x: f32| f64::from(f32::from_bits(x.to_bits() & 0xffff_e000));
    multiply(c.map(f64::from), a.map(upper), (*b).map(upper)).map(towards_zero)
}

/// `x` without the bits that f32 has no room for, as tensor cores leave them out.
fn towards_zero(x: f64) -> f32 {
    let nearest = x as f32;
    if nearest.is_finite() && f64::from(nearest).abs() > x.abs() {
        // The neighbour that is nearer to zero.
        f32::from_bits(nearest.to_bits() - 1)
    } else {
        nearest
    }
}

/// Offset of an array in shared memory.
pub(crate) type SharedBase = u32;

pub(crate) unsafe fn shared_base(offset: u32) -> SharedBase {
    offset
}

pub(crate) fn offset_shared<T>(base: SharedBase, elements: u32) -> SharedBase {
    // What leaves the range of addresses is out of bounds wherever it is used.
    base.saturating_add((size_of::<T>() as u32).saturating_mul(elements))
}

#[track_caller]
pub(crate) unsafe fn load_shared<T: Pod>(base: SharedBase, i: u32) -> T {
    let mut value = zero::<T>();
    read_shared(element::<T>(base, i), align_of::<T>(), bytes_of_mut(&mut value));
    value
}

#[track_caller]
pub(crate) unsafe fn store_shared<T: Pod>(base: SharedBase, i: u32, value: T) {
    write_shared(element::<T>(base, i), align_of::<T>(), bytes_of(&value));
}

// What follows is compiled once: kernels have tens of thousands of accesses, and inlined there it took longer to compile.

#[track_caller]
#[inline(never)]
fn read_shared(offset: u64, align: usize, bytes: &mut [u8]) {
    let caller = caller();
    caller.load_shared(caller.id.rank, offset, align, bytes);
}

#[track_caller]
#[inline(never)]
fn write_shared(offset: u64, align: usize, bytes: &[u8]) {
    let caller = caller();
    caller.store_shared(caller.id.rank, offset, align, bytes);
}

#[track_caller]
#[inline(never)]
fn read_global(address: usize, align: usize, bytes: &mut [u8]) {
    caller().load_global(address as u64, align, bytes);
}

#[track_caller]
#[inline(never)]
fn write_global(address: usize, align: usize, bytes: &[u8]) {
    caller().store_global(address as u64, align, bytes);
}

#[track_caller]
pub(crate) unsafe fn begin_copy<T: Pod>(base: SharedBase, i: u32, address: *const T, is_wanted: bool) {
    let from = is_wanted.then_some(address.addr() as u64);
    begin_copy_of(from, element::<T>(base, i), align_of::<T>(), size_of::<T>());
}

#[track_caller]
#[inline(never)]
fn begin_copy_of(from: Option<u64>, offset: u64, align: usize, len: usize) {
    let (caller, mut bytes) = (caller(), [0; 16]);
    if let Some(address) = from {
        caller.load_global(address, align, &mut bytes[..len]);
    }
    let arrival = Arrival { offset, align, bytes, len };
    with_copies(caller, |copies| copies.begin(arrival));
}

pub(crate) fn commit_copies() {
    let caller = caller();
    with_copies(caller, Copies::commit);
}

#[track_caller]
pub(crate) fn wait_for_copies<const PENDING: u32>() {
    let caller = caller();
    let arrivals = with_copies(caller, |copies| copies.wait(PENDING as usize));
    for arrival in &arrivals {
        caller.store_shared(caller.id.rank, arrival.offset, arrival.align, &arrival.bytes[..arrival.len]);
    }
}

fn with_copies<R>(caller: Caller<'_>, act: impl FnOnce(&mut Copies) -> R) -> R {
    let block = &mut caller.cluster.state.borrow_mut().blocks[caller.id.rank as usize];
    act(&mut block.copies[caller.id.thread as usize])
}

#[track_caller]
pub(crate) unsafe fn load_global<T: Pod>(address: *const T) -> T {
    let mut value = zero::<T>();
    read_global(address.addr(), align_of::<T>(), bytes_of_mut(&mut value));
    value
}

#[track_caller]
pub(crate) unsafe fn store_global<T: Pod>(address: *mut T, value: T) {
    write_global(address.addr(), align_of::<T>(), bytes_of(&value));
}

/// Where element `i` of an array begins. Wider than the kernel's arithmetic, so that nothing wraps into bounds.
#[inline]
fn element<T>(base: SharedBase, i: u32) -> u64 {
    u64::from(base) + u64::from(i) * size_of::<T>() as u64
}

/// A value to be filled.
#[inline]
fn zero<T: Pod>() -> T {
    // SAFETY: any bytes are a plain value.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

#[inline]
fn bytes_of_mut<T: Pod>(value: &mut T) -> &mut [u8] {
    // SAFETY: plain data without padding, of which any bytes are a value.
    unsafe { slice::from_raw_parts_mut(ptr::from_mut(value).cast(), size_of::<T>()) }
}

#[inline]
fn bytes_of<T: Pod>(value: &T) -> &[u8] {
    // SAFETY: plain data without padding.
    unsafe { slice::from_raw_parts(ptr::from_ref(value).cast(), size_of::<T>()) }
}
