//! What a launch must know of PTX: the entry points, and the sizes of their parameters.

use std::collections::HashMap;

/// The sizes of each entry point's parameters, in bytes; nothing if the text is no PTX.
pub(crate) fn entries(text: &str) -> Option<HashMap<String, Vec<usize>>> {
    if !text.contains(".version") {
        return None;
    }
    let mut entries = HashMap::new();
    for part in text.split(".entry").skip(1) {
        let (name, rest) = part.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        let sizes = parameters.split(".param").skip(1).map(size).collect::<Option<_>>()?;
        entries.insert(name.trim().to_owned(), sizes);
    }
    Some(entries)
}

/// The size of a parameter that is declared as `.align 8 .b8 name[72]` or `.u64 name`.
fn size(declaration: &str) -> Option<usize> {
    let words = declaration.split_whitespace();
    let bits: usize = words
        .filter_map(|word| word.strip_prefix(['.']))
        .find_map(|word| word.strip_prefix(['b', 'u', 's', 'f'])?.parse().ok())?;
    let elements = match declaration.split_once('[') {
        Some((_, rest)) => rest.split_once(']')?.0.trim().parse().ok()?,
        None => 1,
    };
    Some(bits / 8 * elements)
}
