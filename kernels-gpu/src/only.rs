//! Which entry points are compiled: all, unless `cargo xtask kernels --only` builds a few of them.

/// The beginnings of their names, with commas between.
const PREFIXES: Option<&str> = option_env!("WARPLU_ONLY");

/// Whether the entry point of this name is to have its body; others are empty.
#[cfg_attr(test, allow(dead_code))]
#[must_use]
pub const fn is_compiled(name: &str) -> bool {
    match PREFIXES {
        Some(prefixes) => has_prefix(name, prefixes),
        None => true,
    }
}

/// Whether a name begins as one of these, with commas between, does.
const fn has_prefix(name: &str, prefixes: &str) -> bool {
    let (prefixes, name) = (prefixes.as_bytes(), name.as_bytes());
    // At `i`, a prefix that agrees with the name so far in its first `matched` bytes.
    let (mut i, mut matched, mut agrees) = (0, 0, true);
    while i < prefixes.len() {
        if prefixes[i] == b',' {
            if agrees {
                return true;
            }
            (matched, agrees) = (0, true);
        } else {
            agrees = agrees && matched < name.len() && name[matched] == prefixes[i];
            matched += 1;
        }
        i += 1;
    }
    agrees
}

#[cfg(test)]
mod tests {
    use super::has_prefix;

    #[test]
    fn names_begin_as_one_of_the_prefixes() {
        assert!(has_prefix("getrf_global_f32", "getrf_global"));
        assert!(has_prefix("getrf_global_f32", "det,getrf_global_f32"));
        assert!(has_prefix("det_f32", "det,getrf"));
        assert!(!has_prefix("det", "det_f32"));
        assert!(!has_prefix("finish_f32", "det,getrf"));
    }
}
