//! What the compiler wrote: its entry points, what is wrong with them, and modules of one or all of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use crate::error::Error;

/// The PTX of a crate, fit to be shipped: a header, then functions and variables.
#[derive(Clone, Debug)]
pub struct Ptx {
    header: String,
    items: Vec<Item>,
    /// Threads of a block at most.
    max_threads: u32,
}

/// A function or variable, declared or defined.
#[derive(Clone, Debug)]
struct Item {
    name: String,
    is_entry: bool,
    text: String,
}

/// Blocks up to this size can be launched whatever registers a kernel takes (at most 255 of the block's 65,536).
/// Telling ptxas a bound would only make it save registers for more blocks, and spill.
const UNBOUND_THREADS: u32 = 256;

/// The version of PTX that has asynchronous stores, and all of mbarriers and clusters. LLVM's header names an older
/// one, for it does not look into assembly; other modules keep that, which older drivers know.
const CLUSTERS: (u32, u32) = (8, 1);

impl Ptx {
    /// Reads what rustc wrote, of kernels whose blocks have at most `max_threads` threads.
    pub(crate) fn parse(text: &str, max_threads: u32) -> Result<Self, Error> {
        let mut ptx = Self { header: String::new(), items: Vec::new(), max_threads };
        let (mut item, mut depth) = (String::new(), 0);
        for line in text.lines() {
            let line = line.split_once("//").map_or(line, |(code, _)| code).trim_end();
            if line.is_empty() {
                continue;
            }
            if [".version", ".target", ".address_size"].iter().any(|directive| line.starts_with(directive)) {
                push_line(&mut ptx.header, line);
                continue;
            }
            depth += line.matches('{').count();
            depth = depth.checked_sub(line.matches('}').count()).ok_or_else(|| Error::Syntax(line.to_owned()))?;
            push_line(&mut item, &number_labels_from_zero(line));
            // A declaration ends with a semicolon, a function with its brace.
            if depth == 0 && line.ends_with([';', '}']) {
                ptx.items.push(Item::new(std::mem::take(&mut item))?);
            }
        }
        if item.is_empty() { Ok(ptx) } else { Err(Error::Syntax(item)) }
    }

    /// The names of the entry points.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter(|item| item.is_entry).map(|item| item.name.as_str())
    }

    /// All entry points as one module, for a driver to load.
    #[must_use]
    pub fn text(&self) -> String {
        self.module_of(|_| true, self.max_threads, 1)
    }

    /// Writes [`Self::text`] to a file of this name in `OUT_DIR`, for the crate that the build script is of to include.
    ///
    /// # Errors
    /// [`Error::NoOutDir`] where it is no build script that calls this; [`Error::Io`].
    pub fn save_in_out_dir(&self, name: &str) -> Result<(), Error> {
        let file = Path::new(&env::var_os("OUT_DIR").ok_or(Error::NoOutDir)?).join(name);
        fs::write(&file, self.text()).map_err(Error::io(&file))
    }

    /// A module of one entry point and all that it names. Blocks have at most `max_threads` threads, and a
    /// multiprocessor should have registers for `min_blocks` of them, which ptxas must know to divide these, and rustc
    /// cannot say.
    #[must_use]
    pub fn module(&self, entry: &str, max_threads: u32, min_blocks: u32) -> String {
        let needed = self.needed(entry);
        self.module_of(|name| needed.contains(name), max_threads, min_blocks)
    }

    /// Why entry points must not be shipped: their names, and what is wrong with each.
    pub(crate) fn faults(&self, allows_local_memory: bool) -> impl Iterator<Item = (&str, &'static str)> {
        self.entries().flat_map(move |entry| {
            let faults = faults(&self.module(entry, 0, 1));
            faults
                .into_iter()
                .filter(move |fault| !allows_local_memory || *fault != LOCAL)
                .map(move |fault| (entry, fault))
        })
    }

    /// A module of some items, by their names.
    fn module_of(&self, takes: impl Fn(&str) -> bool, max_threads: u32, min_blocks: u32) -> String {
        let mut module = self.header.clone();
        for item in self.items.iter().filter(|item| takes(&item.name)) {
            match item.text.split_once('{') {
                Some((head, body)) if item.is_entry && (max_threads > UNBOUND_THREADS || min_blocks > 1) => {
                    let bounds = format!(".maxntid {max_threads}, 1, 1\n.minnctapersm {min_blocks}");
                    module += &format!("{head}{bounds}\n{{{body}");
                }
                _ => module += &item.text,
            }
        }
        if ["mbarrier.", "::cluster"].iter().any(|part| module.contains(part)) {
            with_version(&module, CLUSTERS)
        } else {
            module
        }
    }

    /// The names that an entry point needs, its own included.
    fn needed<'a>(&'a self, entry: &'a str) -> BTreeSet<&'a str> {
        let mut needed = BTreeSet::from([entry]);
        let mut open = vec![entry];
        while let Some(name) = open.pop() {
            // A declaration and a definition have the same name.
            for item in self.items.iter().filter(|item| item.name == name) {
                let words: BTreeSet<_> = words(&item.text).collect();
                let named = self.items.iter().map(|other| other.name.as_str()).filter(|other| words.contains(other));
                open.extend(named.filter(|other| needed.insert(other)));
            }
        }
        needed
    }
}

impl Item {
    fn new(text: String) -> Result<Self, Error> {
        let (is_entry, head) = match (text.split_once(".entry"), text.split_once(".func")) {
            (Some((_, head)), _) => (true, head),
            (None, Some((_, head))) => (false, skip_parentheses(head)),
            (None, None) => (false, text.as_str()),
        };
        let mut tokens = head.split(|c: char| !is_word(c) && c != '.');
        let name = tokens.find(|token| token.starts_with(|c: char| is_word(c) && !c.is_ascii_digit()));
        let name = name.ok_or_else(|| Error::Syntax(text.clone()))?.to_owned();
        Ok(Self { name, is_entry, text })
    }
}

/// The fault that may be allowed.
const LOCAL: &str = "local memory: an array that did not stay in registers";

/// Why a module must not be shipped.
fn faults(module: &str) -> Vec<&'static str> {
    let any = |is: fn(&str) -> bool| words(module).any(is);
    let mut faults = Vec::new();
    if any(|word| word.starts_with("__local_depot")) {
        faults.push(LOCAL);
    }
    if any(|word| word == "trap" || word.contains("panic") || word.contains("rust_begin_unwind")) {
        faults.push("a panic path");
    }
    if module.contains(".extern .func") {
        faults.push("a function that is not defined");
    }
    faults
}

/// A module that asks for a version of PTX, if it does not ask for a newer one.
fn with_version(module: &str, (major, minor): (u32, u32)) -> String {
    let lines = module.lines().map(|line| {
        let version = line.strip_prefix(".version ").and_then(|version| version.split_once('.'));
        let known = version.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        if known.is_some_and(|known: (u32, u32)| known < (major, minor)) {
            format!(".version {major}.{minor}\n")
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

/// What follows a parenthesis at the start: the results of a function.
fn skip_parentheses(text: &str) -> &str {
    let Some(results) = text.trim_start().strip_prefix('(') else {
        return text;
    };
    results.split_once(')').map_or(text, |(_, rest)| rest)
}

/// Labels are local to their function, but LLVM puts the number of the function into each; without it, a change of one
/// kernel leaves the others as they are.
fn number_labels_from_zero(line: &str) -> String {
    const LABEL: &str = "$L__BB";
    let mut parts = line.split(LABEL);
    let mut renamed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        renamed += LABEL;
        renamed += "0";
        renamed += part.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    renamed
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = r#"//
// Generated by LLVM NVPTX Back-End
//

.version 7.8
.target sm_90
.address_size 64

	// .globl	lu_f32
.func  (.param .b32 func_retval0) helper
(
	.param .b32 helper_param_0
)
;
.extern .shared .align 16 .b8 shared[];
.global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.global .align 1 .b8 unused[1];

.visible .entry lu_f32(
	.param .align 8 .b8 lu_f32_param_0[16]
)
{
	.reg .b32 	%r<3>;

	{ // callseq 0, 0
	call.uni (retval0), helper, (param0);
	}
$L__BB7_1:
	bra.uni 	$L__BB7_1;   // forever
	ret;
                                        // -- End function
}
.func  (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	mov.b64 	{_, %r1}, table;
	ret;
}
.visible .entry spilled()
{
	.local .align 4 .b8 	__local_depot8[64];
	mov.b64 	%SPL, __local_depot8;
	st.shared.b32 	[shared], %r1;
	ret;
}
.func _ZN4core9panicking5panic()
{
	trap;
}
.visible .entry panics()
{
	call.uni _ZN4core9panicking5panic;
	ret;
}
.extern .func memcpy();
.visible .entry unresolved()
{
	call.uni memcpy;
	ret;
}
"#;

    fn ptx() -> Ptx {
        Ptx::parse(PTX, 0).unwrap()
    }

    #[test]
    fn entries_in_order() {
        assert_eq!(ptx().entries().collect::<Vec<_>>(), ["lu_f32", "spilled", "panics", "unresolved"]);
    }

    #[test]
    fn a_module_holds_what_its_entry_names() {
        let module = ptx().module("lu_f32", 512, 1);
        let expected = ".version 7.8
.target sm_90
.address_size 64
.func  (.param .b32 func_retval0) helper
(
	.param .b32 helper_param_0
)
;
.global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.visible .entry lu_f32(
	.param .align 8 .b8 lu_f32_param_0[16]
)
.maxntid 512, 1, 1
.minnctapersm 1
{
	.reg .b32 	%r<3>;
	{
	call.uni (retval0), helper, (param0);
	}
$L__BB0_1:
	bra.uni 	$L__BB0_1;
	ret;
}
.func  (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	mov.b64 	{_, %r1}, table;
	ret;
}
";
        assert_eq!(module, expected);
        assert!(faults(&module).is_empty());
    }

    #[test]
    fn clusters_take_a_newer_version() {
        let with = |version: &str, line: &str| {
            let text = PTX.replace("7.8", version).replace("// callseq 0, 0", line);
            Ptx::parse(&text, 0).unwrap().module("lu_f32", 32, 1)
        };
        let store = "\n\tst.shared::cluster.u32 [%r1], %r2;";
        assert!(with("7.8", store).starts_with(".version 8.1\n.target sm_90\n"));
        assert!(with("8.7", store).starts_with(".version 8.7\n"));
        assert!(with("7.8", "\n\tst.shared.u32 [%r1], %r2;").starts_with(".version 7.8\n"));
    }

    #[test]
    fn faults_of_modules() {
        let ptx = ptx();
        let faults = |entry| faults(&ptx.module(entry, 32, 1));
        assert!(matches!(faults("spilled")[..], [fault] if fault.contains("local memory")));
        assert_eq!(faults("panics"), ["a panic path"]);
        assert_eq!(faults("unresolved"), ["a function that is not defined"]);
    }

    #[test]
    fn local_memory_may_be_allowed() {
        let found = |allowed| ptx().faults(allowed).map(|(entry, _)| entry.to_owned()).collect::<Vec<_>>();
        assert_eq!(found(false), ["spilled", "panics", "unresolved"]);
        assert_eq!(found(true), ["panics", "unresolved"]);
    }

    #[test]
    fn the_whole_has_all_entry_points_and_their_bounds() {
        let text = Ptx::parse(PTX, 1024).unwrap().text();
        assert_eq!(text.matches(".maxntid 1024, 1, 1").count(), 4);
        assert_eq!(Ptx::parse(&text, 0).unwrap().entries().count(), 4);
        assert!(!ptx().text().contains(".maxntid"));
    }

    #[test]
    fn damaged_ptx_is_an_error() {
        for text in ["}", ".visible .entry lu()\n{\n", ".section\n{\n}\n"] {
            assert!(Ptx::parse(text, 0).is_err(), "{text}");
        }
    }
}
