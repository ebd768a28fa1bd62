//! Which cluster, and which of its threads, runs on this OS thread.

use std::cell::Cell;
use std::ptr;

use super::cluster::Cluster;
use super::id::Id;

thread_local! {
    /// The cluster that runs on this OS thread, if one does.
    static CLUSTER: Cell<*const Cluster<'static>> = const { Cell::new(ptr::null()) };
}

/// Runs `body` with `cluster` as the one that kernels see.
pub(super) fn enter<R>(cluster: &Cluster<'_>, body: impl FnOnce() -> R) -> R {
    struct Leave(*const Cluster<'static>);
    impl Drop for Leave {
        fn drop(&mut self) {
            CLUSTER.set(self.0);
        }
    }
    let _leave = Leave(CLUSTER.replace(ptr::from_ref(cluster).cast()));
    body()
}

/// The cluster and its thread that run, if this is a kernel.
#[inline]
pub(super) fn running<'a>() -> Option<(&'a Cluster<'a>, Id)> {
    // SAFETY: `enter` keeps the cluster borrowed while it is set, and a thread of the cluster does not outlive that.
    let cluster = unsafe { CLUSTER.get().cast::<Cluster<'a>>().as_ref() }?;
    Some((cluster, cluster.current()?))
}
