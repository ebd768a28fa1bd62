//! Packed PTX.

#![cfg(feature = "ptx")]

use kernels_gpu::ptx::registers::{pack, unpack};

const TEXT: &str = "\
.visible .entry a(
\t.param .b64 a_param_0
)
{
\t.reg .pred \t%p<3>;
\t.reg .b32 \t%r<9>;
\t.reg .b64 \t%rd<4>;
\tmov.u32 \t%r7, %tid.x;
\tmov.u64 \t%rd2, %clock64;
\tadd.s32 \t%r3, %r7, %r7;
\tsetp.eq.s32 \t%p1, %r3, 0;
\t@%p1 bra \t$L__BB0_2;
\tadd.s32 \t%r8, %r3, %r7;
\t{.reg .b16 tmp; mov.b32 {tmp, %r1}, %r8;}
}
.func b()
{
\t.reg .b32 \t%r<2>;
\tmov.u32 \t%r1, 5;
}
";

#[test]
fn registers_are_numbered_as_they_come_up() {
    let packed = pack(TEXT);
    assert!(packed.contains("\tmov.u32 \t%r., %tid.x;\n\tmov.u64 \t%rd., %clock64;\n"), "{packed}");
    assert!(packed.contains("\tadd.s32 \t%r., %r1, %r0;\n"), "{packed}");
    let expected = TEXT
        .replace("%rd2", "%rd1")
        .replace("mov.b32 {tmp, %r1}", "mov.b32 {tmp, %r4}")
        .replace("%r3", "%r2x")
        .replace("%r8", "%r3")
        .replace("%r7", "%r1")
        .replace("%r2x", "%r2");
    assert_eq!(unpack(&packed), expected);
    // Once numbered so, a text stays as it is.
    assert_eq!(unpack(&pack(&expected)), expected);
    assert_eq!(pack(&expected), packed);
}

#[test]
fn what_is_no_register_stays() {
    let text = "// 100 % of it\n\tmov.u32 \t%r1, %envreg3;\n";
    assert_eq!((pack(text).as_str(), unpack(text).as_str()), (text, text));
}

#[test]
fn a_damaged_text_is_no_panic() {
    assert_eq!(
        unpack("\t.reg .b32 \t%r<2>;\n\tmov.u32 \t%r9, %r.;\n"),
        "\t.reg .b32 \t%r<2>;\n\tmov.u32 \t%r9, %r1;\n"
    );
}
