//! Tells the benchmark which compiler built it.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    // "rustc 1.95.0 (hash date)": the first two words say it.
    let version = version.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    println!("cargo::rustc-env=WARPLU_RUSTC={}", if version.is_empty() { "rustc" } else { &version });
}
