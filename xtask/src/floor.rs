//! What the hardware can do at most, and the time that it takes at least.

/// What the hardware can do at most.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Limits {
    /// Bytes a second that a copy reads and writes together
    #[arg(long, value_name = "B/S", default_value_t = Limits::H200.bandwidth)]
    bandwidth: f64,
    /// Flops a second of a matrix product in f32
    #[arg(long, value_name = "FLOP/S", default_value_t = Limits::H200.gemm_f32)]
    gemm_f32: f64,
    /// Flops a second of a matrix product in f64
    #[arg(long, value_name = "FLOP/S", default_value_t = Limits::H200.gemm_f64)]
    gemm_f64: f64,
}

impl Limits {
    /// Those of an NVIDIA H200.
    pub(crate) const H200: Self = Self { bandwidth: 4.1e12, gemm_f32: 51e12, gemm_f64: 61e12 };
}

/// Seconds that the hardware takes at least for a matrix: to read the inputs and write the results, and for the flops.
pub(crate) fn floor(op: &str, dtype: &str, n: u32, rhs: u32, limits: &Limits) -> f64 {
    let (bytes, flops) = work(op, dtype, n, rhs);
    let gemm = if ["f64", "c64"].contains(&dtype) { limits.gemm_f64 } else { limits.gemm_f32 };
    f64::max(bytes / limits.bandwidth, flops / gemm)
}

/// Flops a second that the hardware cannot exceed, by the floor.
pub(crate) fn ceiling(op: &str, dtype: &str, n: u32, rhs: u32, limits: &Limits) -> f64 {
    work(op, dtype, n, rhs).1 / floor(op, dtype, n, rhs, limits)
}

/// Bytes to read and write for a matrix, and flops by LAPACK's counts.
fn work(op: &str, dtype: &str, n: u32, rhs: u32) -> (f64, f64) {
    let (n, rhs) = (f64::from(n), f64::from(rhs));
    let (size, complex) = match dtype {
        "f16" => (2.0, 1.0),
        "f32" => (4.0, 1.0),
        "f64" => (8.0, 1.0),
        "c32" => (8.0, 4.0),
        _ => (16.0, 4.0),
    };
    let (elements, flops) = match op {
        "lu" => (2.0 * n * n, 2.0 / 3.0 * n.powi(3)),
        "inv" => (2.0 * n * n, 2.0 * n.powi(3)),
        "lu-inv" => (2.0 * n * n, 4.0 / 3.0 * n.powi(3)),
        "det" => (n * n, 2.0 / 3.0 * n.powi(3)),
        "lu-solve" => (n * n + 2.0 * n * rhs, 2.0 * n * n * rhs),
        _ => (n * n + 2.0 * n * rhs, 2.0 / 3.0 * n.powi(3) + 2.0 * n * n * rhs),
    };
    (elements * size, flops * complex)
}

/// The geometric mean, of numbers if there are any.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<_> = values.map(f64::ln).collect();
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_the_larger_of_copy_and_flops() {
        let floor = |op, dtype, n, rhs| floor(op, dtype, n, rhs, &Limits::H200) * 1e7;
        assert!((floor("lu", "f64", 64, 0) - 0.16).abs() < 0.001, "a copy");
        assert!((floor("inv", "c64", 190, 0) - 9.0).abs() < 0.01, "complex flops");
        assert!(floor("solve", "f64", 64, 1) < floor("lu", "f64", 64, 0), "no factors are written");
        let ceiling = |op, n| ceiling(op, "f64", n, 0, &Limits::H200);
        assert!((ceiling("inv", 512) - 61e12).abs() < 1e6 && ceiling("lu", 8) < 1e13);
    }
}
