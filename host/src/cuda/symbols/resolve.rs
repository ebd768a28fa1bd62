//! What a symbol jumps through: its slot, which at first leads to a resolver.
//!
//! This is how a dynamic linker binds on the first call. The symbol leaves its slot's address in a register that the
//! calling convention gives to such veneers. The resolver saves what arguments are in, has all slots filled, brings the
//! arguments back, and jumps to where the slot leads now.

use std::arch::naked_asm;

/// What fills the slots.
pub(super) trait Bind {
    /// Points all slots at where their symbols lead from now on. A panic would end the program.
    extern "C" fn bind();
}

// A hidden symbol neither leaves the program nor takes the place of the driver's own in another library.
#[cfg(target_os = "linux")]
macro_rules! hidden {
    ($name:ident) => {
        concat!(".hidden ", stringify!($name))
    };
}
#[cfg(not(target_os = "linux"))]
macro_rules! hidden {
    ($name:ident) => {
        ""
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($name:ident) => {
        std::arch::naked_asm!(
            hidden!($name),
            "lea r11, [rip + {slot}]",
            "jmp qword ptr [r11]",
            slot = sym SLOT,
        )
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    ($name:ident) => {
        std::arch::naked_asm!(
            hidden!($name),
            "adrp x16, {slot}",
            "add x16, x16, #:lo12:{slot}",
            "ldr x17, [x16]",
            "br x17",
            slot = sym SLOT,
        )
    };
}

/// Fills all slots and goes on to where the one in r11 leads. At its start the stack is 8 bytes off a multiple of 16,
/// and after nine pushes it is at one, as the call needs.
///
/// # Safety
///
/// Only a symbol's code may jump here.
#[cfg(all(target_arch = "x86_64", not(windows)))]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn resolve<B: Bind>() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push r11",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "push rax",
        "sub rsp, 128",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "movups [rsp + 32], xmm2",
        "movups [rsp + 48], xmm3",
        "movups [rsp + 64], xmm4",
        "movups [rsp + 80], xmm5",
        "movups [rsp + 96], xmm6",
        "movups [rsp + 112], xmm7",
        "call {bind}",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "movups xmm2, [rsp + 32]",
        "movups xmm3, [rsp + 48]",
        "movups xmm4, [rsp + 64]",
        "movups xmm5, [rsp + 80]",
        "movups xmm6, [rsp + 96]",
        "movups xmm7, [rsp + 112]",
        "add rsp, 128",
        "pop rax",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "pop r11",
        "pop rbp",
        "jmp qword ptr [r11]",
        bind = sym B::bind,
    )
}

/// As on other systems, with the registers of Windows, and the 32 bytes that a call there leaves to the callee.
///
/// # Safety
///
/// Only a symbol's code may jump here.
#[cfg(all(target_arch = "x86_64", windows))]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn resolve<B: Bind>() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push r11",
        "push rcx",
        "push rdx",
        "push r8",
        "push r9",
        "push rax",
        "sub rsp, 96",
        "movups [rsp + 32], xmm0",
        "movups [rsp + 48], xmm1",
        "movups [rsp + 64], xmm2",
        "movups [rsp + 80], xmm3",
        "call {bind}",
        "movups xmm0, [rsp + 32]",
        "movups xmm1, [rsp + 48]",
        "movups xmm2, [rsp + 64]",
        "movups xmm3, [rsp + 80]",
        "add rsp, 96",
        "pop rax",
        "pop r9",
        "pop r8",
        "pop rdx",
        "pop rcx",
        "pop r11",
        "pop rbp",
        "jmp qword ptr [r11]",
        bind = sym B::bind,
    )
}

/// Fills all slots and goes on to where the one in x16 leads.
///
/// # Safety
///
/// Only a symbol's code may jump here.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn resolve<B: Bind>() {
    naked_asm!(
        "stp x29, x30, [sp, #-224]!",
        "mov x29, sp",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        "stp x8, x16, [sp, #80]",
        "stp q0, q1, [sp, #96]",
        "stp q2, q3, [sp, #128]",
        "stp q4, q5, [sp, #160]",
        "stp q6, q7, [sp, #192]",
        "bl {bind}",
        "ldp q6, q7, [sp, #192]",
        "ldp q4, q5, [sp, #160]",
        "ldp q2, q3, [sp, #128]",
        "ldp q0, q1, [sp, #96]",
        "ldp x8, x16, [sp, #80]",
        "ldp x6, x7, [sp, #64]",
        "ldp x4, x5, [sp, #48]",
        "ldp x2, x3, [sp, #32]",
        "ldp x0, x1, [sp, #16]",
        "ldp x29, x30, [sp], #224",
        "ldr x17, [x16]",
        "br x17",
        bind = sym B::bind,
    )
}
