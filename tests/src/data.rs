//! The files in `data/`.

use std::path::PathBuf;

use serde_json::Value;

/// The path of a file in `data/`.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// A NumPy array: its shape and its elements, row by row.
///
/// # Panics
/// If there is no such file, of that type, in C order.
#[must_use]
pub fn npy<T: npyz::Deserialize>(name: &str) -> (Vec<usize>, Vec<T>) {
    let bytes = std::fs::read(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let file = npyz::NpyFile::new(&bytes[..]).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(file.order(), npyz::Order::C, "{name}");
    let shape = file.shape().iter().map(|&d| d as usize).collect();
    (shape, file.into_vec().unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// A JSON file.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn json(name: &str) -> Value {
    let text = std::fs::read_to_string(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}
