//! The few words that are read of TOML files, in the form in which cargo and rustup write them.

/// The text of `key = "..."` in a section.
pub(crate) fn value<'a>(text: &'a str, section: &str, key: &str) -> Option<&'a str> {
    let lines = text.lines().map(str::trim);
    let mut within = lines.skip_while(|line| line.strip_prefix('[').is_none_or(|rest| !is_header(rest, section)));
    within.next();
    within.take_while(|line| !line.starts_with('[')).find_map(|line| {
        let (name, rest) = line.split_once('=')?;
        let quoted = rest.trim_start().strip_prefix('"')?;
        (name.trim() == key).then(|| quoted.split_once('"').map(|(value, _)| value)).flatten()
    })
}

/// The name of the library that a `Cargo.toml` is of, as rustc's files have it.
pub(crate) fn library(text: &str) -> Option<String> {
    value(text, "lib", "name").or_else(|| value(text, "package", "name")).map(|name| name.replace('-', "_"))
}

fn is_header(rest: &str, section: &str) -> bool {
    rest.split_once(']').is_some_and(|(name, _)| name.trim() == section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channel_of_a_toolchain_file() {
        let text = "# A comment.\n[toolchain]\nchannel = \"nightly-2030-01-02\" # new\nprofile = \"minimal\"\n";
        assert_eq!(value(text, "toolchain", "channel"), Some("nightly-2030-01-02"));
        assert_eq!(value("[toolchain]\n", "toolchain", "channel"), None);
    }

    #[test]
    fn name_of_a_library() {
        let package = "[dependencies]\nname = \"x\"\n\n[package]\nversion.workspace = true\nname = \"my-kernels\"\n";
        assert_eq!(library(package).as_deref(), Some("my_kernels"));
        assert_eq!(library(&format!("{package}[lib]\ntest = false\nname=\"own\"\n")).as_deref(), Some("own"));
        assert_eq!(library("[workspace]\nmembers = [\"name\"]\n"), None);
    }
}
