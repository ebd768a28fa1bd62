//! The bits of factors and inverses are the same on every CPU that has fused multiply-adds: those that are noted here.
//!
//! Tests beside the algorithms compare the instruction sets of one CPU, which may have one only. Who changes how
//! something is computed notes what is found then.

use numbers::scalar::c64;

use super::lanes::Isa;
use super::testing::Random;
use crate::element::CpuScalar;
use warplu::{Batch, BatchMut, Device};

/// Orders, and how many matrices of each: of those that are worked on side by side several groups and a rest.
const SIZES: [(usize, usize); 4] = [(3, 37), (33, 19), (129, 3), (200, 2)];

/// FNV-1a of each number's bits.
fn checksum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers
        .flat_map(u64::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn checksum_of<T: CpuScalar>(matrices: &[T]) -> u64 {
    checksum(matrices.iter().flat_map(|x| {
        let z = x.to_c64();
        [z.re.to_bits(), z.im.to_bits()]
    }))
}

/// Of factors, pivots and inverses of random matrices.
fn checksums<T: CpuScalar>((n, batch): (usize, usize)) -> [u64; 3] {
    let mut random = Random(n as u64);
    let a: Vec<T> = (0..batch * n * n).map(|_| T::from_c64(c64::new(random.real(), random.real()))).collect();
    let (mut lu, mut inverses) = (vec![T::ZERO; a.len()], vec![T::ZERO; a.len()]);
    let mut pivots = vec![0; batch * n];
    let (device, a) = (Device::cpu(), Batch::column_major(&a, batch, n, n).unwrap());
    let view = |out| BatchMut::column_major(out, batch, n, n).unwrap();
    device.lu_into(&a, &mut view(&mut lu), &mut pivots).and_then(|status| status.check()).unwrap();
    device.invert_into(&a, &mut view(&mut inverses)).and_then(|status| status.check()).unwrap();
    [checksum_of(&lu), checksum(pivots.into_iter().map(u64::from)), checksum_of(&inverses)]
}

fn check<T: CpuScalar>(known: [[u64; 3]; SIZES.len()]) {
    if !Isa::detect().has_groups() {
        return;
    }
    let found = SIZES.map(checksums::<T>);
    assert!(found == known, "{:?} of factors, pivots and inverses: {found:#018x?}", T::KIND);
}

#[test]
fn of_f32() {
    check::<f32>([
        [0xb86f_ff77_aca9_28c6, 0x2e46_613b_7811_8825, 0x7cf5_7d4f_6085_d83e],
        [0xeffe_9c02_bda9_7f50, 0x93b8_e598_efdd_831e, 0xcc5d_143f_46de_3ee7],
        [0x2df8_85ae_bb0b_ec35, 0x8b84_cf47_63ab_d942, 0x9aa1_08de_dedb_4d9b],
        [0x25b3_5e9a_5e54_5e91, 0x6b21_bdcc_519d_258e, 0x270d_553d_8be8_2a46],
    ]);
}

#[test]
fn of_f64() {
    check::<f64>([
        [0x37bc_4038_5f87_f86a, 0x2e46_613b_7811_8825, 0x7a60_b90e_e31e_28aa],
        [0xf279_e5e9_f4d9_2057, 0x93b8_e598_efdd_831e, 0xfd6f_0d4a_465e_27dd],
        [0x663d_d6d3_b67a_114b, 0x8b84_cf47_63ab_d942, 0x64f0_519c_9169_16a5],
        [0xf4ea_1e26_800c_529c, 0x6b21_bdcc_519d_258e, 0x5ed7_071f_f11b_33b7],
    ]);
}

#[test]
fn of_c64() {
    check::<c64>([
        [0xa877_24ae_ab61_2a6e, 0xc11b_b3ed_5ed5_9a64, 0xc8c4_a6ba_02e7_3e07],
        [0x9977_7428_cd05_495a, 0x6307_8ac6_9819_a459, 0x033c_5411_bfa1_e417],
        [0x7868_1a04_cf3e_5cb2, 0xadde_5795_bf1a_cadb, 0xdfea_acc1_9a59_be55],
        [0xf65e_fc0d_7e14_a575, 0x3600_fa33_a26f_8057, 0x1678_4719_52a3_8806],
    ]);
}
