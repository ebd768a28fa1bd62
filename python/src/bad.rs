//! How matrices fared, on the way to Python.

use warplu::Status;

/// Bad matrices that a message may name.
const NAMED: usize = 8;

/// How many matrices are bad, and of the first of them the index and the status code. `None` where all are well, or
/// nobody asked.
pub(crate) type Bad = Option<(usize, Vec<(usize, i32)>)>;

/// Writes status codes to an address, if there is one, and finds the bad ones, if they are asked for.
///
/// # Safety
/// At the address is room for as many.
pub(crate) unsafe fn report(statuses: &[Status], address: usize, check: bool) -> Bad {
    let codes = statuses.iter().map(|status| status.code());
    if address != 0 {
        let to = std::ptr::with_exposed_provenance_mut::<i32>(address);
        for (b, code) in codes.clone().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { to.add(b).write(code) };
        }
    }
    if check { of_codes(codes) } else { None }
}

/// The bad ones of status codes.
pub(crate) fn of_codes(codes: impl Iterator<Item = i32>) -> Bad {
    let mut bad = codes.enumerate().filter(|&(_, code)| code != 0);
    let named: Vec<_> = bad.by_ref().take(NAMED).collect();
    if named.is_empty() { None } else { Some((named.len() + bad.count(), named)) }
}
