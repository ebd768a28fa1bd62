//! As its parent, for clusters.

use super::{SharedBase, bytes_of, bytes_of_mut, caller, element, zero};
use crate::Pod;
use crate::cpu::distributed::MbarrierAt;

#[track_caller]
pub(crate) fn rank() -> u32 {
    caller().id.rank
}

#[track_caller]
pub(crate) fn size() -> u32 {
    caller().cluster.size()
}

#[track_caller]
pub(crate) fn arrive() {
    caller().arrive_at_cluster();
}

#[track_caller]
pub(crate) fn wait() {
    caller().wait_for_cluster();
}

#[track_caller]
pub(crate) fn sync() {
    caller().cluster_barrier();
}

/// An array in the shared memory of a block of the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteBase {
    rank: u32,
    base: SharedBase,
}

/// An array in the shared memory of the calling thread's block.
pub(crate) type LocalBase = SharedBase;

pub(crate) fn local(base: SharedBase) -> LocalBase {
    base
}

pub(crate) fn offset_local<T>(base: LocalBase, elements: u32) -> LocalBase {
    super::offset_shared::<T>(base, elements)
}

pub(crate) fn remote(base: LocalBase, rank: u32) -> RemoteBase {
    RemoteBase { rank, base }
}

pub(crate) fn offset_remote<T>(RemoteBase { rank, base }: RemoteBase, elements: u32) -> RemoteBase {
    RemoteBase { rank, base: super::offset_shared::<T>(base, elements) }
}

#[track_caller]
pub(crate) unsafe fn load_remote<T: Pod>(RemoteBase { rank, base }: RemoteBase, i: u32) -> T {
    let caller = caller();
    caller.visit(rank);
    let mut value = zero::<T>();
    caller.load_shared(rank, element::<T>(base, i), align_of::<T>(), bytes_of_mut(&mut value));
    value
}

#[track_caller]
pub(crate) unsafe fn store_remote<T: Pod>(RemoteBase { rank, base }: RemoteBase, i: u32, value: T) {
    let caller = caller();
    caller.visit(rank);
    caller.store_shared(rank, element::<T>(base, i), align_of::<T>(), bytes_of(&value));
}

#[track_caller]
pub(crate) unsafe fn store_async<T: Pod>(to: RemoteBase, i: u32, value: T, mbarrier: RemoteBase) {
    let caller = caller();
    caller.visit(to.rank);
    let mbarrier = MbarrierAt { rank: mbarrier.rank, offset: mbarrier.base.into() };
    caller.store_async(to.rank, element::<T>(to.base, i), bytes_of(&value), mbarrier);
}

#[track_caller]
pub(crate) unsafe fn init_mbarrier(base: SharedBase, count: u32) {
    caller().init_mbarrier(base.into(), count);
}

#[track_caller]
pub(crate) unsafe fn invalidate_mbarrier(base: SharedBase) {
    caller().invalidate_mbarrier(base.into());
}

#[track_caller]
pub(crate) unsafe fn arrive_at_mbarrier(base: SharedBase) {
    arrive_expecting(base, 0);
}

#[track_caller]
pub(crate) unsafe fn arrive_expect(base: SharedBase, bytes: u32) {
    arrive_expecting(base, bytes);
}

#[track_caller]
fn arrive_expecting(base: SharedBase, bytes: u32) {
    let caller = caller();
    caller.arrive_at_mbarrier(MbarrierAt::own(&caller, base.into()), bytes);
}

#[track_caller]
pub(crate) unsafe fn arrive_at_remote(RemoteBase { rank, base }: RemoteBase) {
    let caller = caller();
    caller.visit(rank);
    caller.arrive_at_mbarrier(MbarrierAt { rank, offset: base.into() }, 0);
}

#[track_caller]
pub(crate) unsafe fn wait_for_mbarrier(base: SharedBase, parity: u32) {
    caller().wait_for_mbarrier(base.into(), parity);
}

#[track_caller]
pub(crate) unsafe fn wait_for_stores(base: SharedBase, parity: u32) {
    caller().wait_for_mbarrier(base.into(), parity);
}
