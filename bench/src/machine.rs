//! When and where a measurement was made.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use warplu::Device;

/// The time in UTC, such as 2026-11-21T07:15:00Z.
pub(crate) fn now() -> String {
    date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// A time by its seconds since 1970.
fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, so that a leap day is the last of its year; eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let day = day - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The processor's name, and the threads that are used of it.
pub(crate) fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.trim_start().strip_prefix(':'));
    format!("{}, {} threads", name.unwrap_or(std::env::consts::ARCH).trim(), rayon::current_num_threads())
}

/// Whether there is only host memory.
pub(crate) fn is_cpu(device: &Device) -> bool {
    device.to_string() == "cpu"
}

/// The compilers of the host's code and of the kernels.
pub(crate) fn toolchain() -> String {
    let ptx = kernels_gpu::ptx::TOOLCHAIN.lines().find_map(|line| line.strip_prefix("channel = "));
    format!("{}; PTX {}", env!("WARPLU_RUSTC"), ptx.unwrap_or("unknown").trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(date(1_795_245_300), "2026-11-21T07:15:00Z");
        assert_eq!(date(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn toolchains_are_named() {
        let text = toolchain();
        assert!(text.starts_with("rustc 1.") && text.contains("; PTX nightly-"), "{text}");
    }
}
