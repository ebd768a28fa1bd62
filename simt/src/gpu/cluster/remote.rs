//! The shared memory of the blocks of a cluster: its addresses, and moving words there and back.

use core::arch::asm;

use crate::Pod;
use crate::gpu::SharedBase;

/// Address of an array in the shared memory of a block of the cluster.
pub(crate) type RemoteBase = u32;

/// Address of an array in this block's shared memory: arithmetic on it takes one register, not two.
pub(crate) type LocalBase = u32;

#[inline(always)]
pub(crate) fn local(base: SharedBase) -> LocalBase {
    let address: u32;
    // SAFETY: arithmetic on registers.
    unsafe {
        asm!(
            "{{ .reg .u64 s; cvta.to.shared.u64 s, {from}; cvt.u32.u64 {to}, s; }}",
            from = in(reg64) base, to = out(reg32) address, options(pure, nomem, nostack)
        );
    }
    address
}

#[inline(always)]
pub(crate) fn remote(base: LocalBase, rank: u32) -> RemoteBase {
    let address: u32;
    // SAFETY: as above.
    unsafe {
        asm!(
            "mapa.shared::cluster.u32 {to}, {from}, {rank};",
            from = in(reg32) base, rank = in(reg32) rank, to = out(reg32) address, options(pure, nomem, nostack)
        );
    }
    address
}

#[inline(always)]
pub(crate) fn offset_local<T>(base: LocalBase, elements: u32) -> LocalBase {
    offset_remote::<T>(base, elements)
}

#[inline(always)]
pub(crate) fn offset_remote<T>(base: RemoteBase, elements: u32) -> RemoteBase {
    base.wrapping_add(elements.wrapping_mul(size_of::<T>() as u32))
}

/// The words of a value of at most 16 bytes.
#[inline(always)]
fn words<T: Pod>(value: T) -> [u32; 4] {
    let (mut words, from) = ([0; 4], (&raw const value).cast::<u32>());
    let mut w = 0;
    while w < size_of::<T>() / 4 {
        // SAFETY: `T` has so many words of plain data.
        words[w] = unsafe { from.add(w).read_unaligned() };
        w += 1;
    }
    words
}

/// Bytes that one instruction may move: as many as begin at a multiple of that.
const fn step<T>() -> usize {
    if size_of::<T>() < align_of::<T>() { size_of::<T>() } else { align_of::<T>() }
}

#[inline(always)]
pub(crate) unsafe fn load_remote<T: Pod>(base: RemoteBase, i: u32) -> T {
    let from = offset_remote::<T>(base, i);
    let mut words = [0_u32; 4];
    let [a, b, c, d] = &mut words;
    // SAFETY: promised by the array's maker.
    unsafe {
        match (size_of::<T>(), step::<T>()) {
            (16, 16) => asm!(
                "ld.shared::cluster.v4.u32 {{{a}, {b}, {c}, {d}}}, [{from}];",
                a = out(reg32) *a, b = out(reg32) *b, c = out(reg32) *c, d = out(reg32) *d, from = in(reg32) from,
                options(nostack)
            ),
            (size, 8) => {
                pair(from, a, b);
                if size == 16 {
                    pair(from.wrapping_add(8), c, d);
                }
            }
            (size, _) => {
                word(from, a);
                if size > 4 {
                    word(from.wrapping_add(4), b);
                }
                if size > 8 {
                    word(from.wrapping_add(8), c);
                    word(from.wrapping_add(12), d);
                }
            }
        }
        (&raw const words).cast::<T>().read_unaligned()
    }
}

#[inline(always)]
unsafe fn pair(from: u32, a: &mut u32, b: &mut u32) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "ld.shared::cluster.v2.u32 {{{a}, {b}}}, [{from}];",
            a = out(reg32) *a, b = out(reg32) *b, from = in(reg32) from, options(nostack)
        );
    }
}

#[inline(always)]
unsafe fn word(from: u32, a: &mut u32) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!("ld.shared::cluster.u32 {a}, [{from}];", a = out(reg32) *a, from = in(reg32) from, options(nostack));
    }
}

#[inline(always)]
pub(crate) unsafe fn store_remote<T: Pod>(base: RemoteBase, i: u32, value: T) {
    let to = offset_remote::<T>(base, i);
    let [a, b, c, d] = words(value);
    // SAFETY: promised by the array's maker.
    unsafe {
        match (size_of::<T>(), step::<T>()) {
            (16, 16) => asm!(
                "st.shared::cluster.v4.u32 [{to}], {{{a}, {b}, {c}, {d}}};",
                to = in(reg32) to, a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
                options(nostack)
            ),
            (size, 8) => {
                store_pair(to, a, b);
                if size == 16 {
                    store_pair(to.wrapping_add(8), c, d);
                }
            }
            (size, _) => {
                store_word(to, a);
                if size > 4 {
                    store_word(to.wrapping_add(4), b);
                }
                if size > 8 {
                    store_word(to.wrapping_add(8), c);
                    store_word(to.wrapping_add(12), d);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn store_pair(to: u32, a: u32, b: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "st.shared::cluster.v2.u32 [{to}], {{{a}, {b}}};",
            to = in(reg32) to, a = in(reg32) a, b = in(reg32) b, options(nostack)
        );
    }
}

#[inline(always)]
unsafe fn store_word(to: u32, a: u32) {
    // SAFETY: the caller's promise.
    unsafe { asm!("st.shared::cluster.u32 [{to}], {a};", to = in(reg32) to, a = in(reg32) a, options(nostack)) };
}

#[inline(always)]
pub(crate) unsafe fn store_async<T: Pod>(base: RemoteBase, i: u32, value: T, mbarrier: RemoteBase) {
    let to = offset_remote::<T>(base, i);
    let [a, b, c, d] = words(value);
    // SAFETY: promised by the maker of the array and the mbarrier.
    unsafe {
        match size_of::<T>() {
            4 => asm!(
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [{to}], {a}, [{mbarrier}];",
                to = in(reg32) to, a = in(reg32) a, mbarrier = in(reg32) mbarrier, options(nostack)
            ),
            8 => asm!(
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32",
                "[{to}], {{{a}, {b}}}, [{mbarrier}];",
                to = in(reg32) to, a = in(reg32) a, b = in(reg32) b, mbarrier = in(reg32) mbarrier, options(nostack)
            ),
            _ => asm!(
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32",
                "[{to}], {{{a}, {b}, {c}, {d}}}, [{mbarrier}];",
                to = in(reg32) to, a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
                mbarrier = in(reg32) mbarrier, options(nostack)
            ),
        }
    }
}
