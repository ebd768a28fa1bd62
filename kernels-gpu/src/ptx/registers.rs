//! Registers of a PTX text by how long ago they were last named.
//!
//! LLVM numbers registers as they come up, so their numbers say little and compress badly: half of a compressed module
//! would be numbers. A packed text has in their place a dot where a register is new, else how many others of its class
//! were named since, which is mostly few. Unpacked, registers are numbered anew, in the order in which they come up.

use std::collections::HashMap;
use std::fmt::Write;

/// The registers of a class that have been named, the last one last.
#[derive(Default)]
struct Class {
    recent: Vec<u32>,
}

impl Class {
    /// Moves the register that so many others were named after to the end, and returns it.
    fn touch(&mut self, rank: usize) -> Option<u32> {
        let at = self.recent.len().checked_sub(rank + 1)?;
        let register = self.recent.remove(at);
        self.recent.push(register);
        Some(register)
    }
}

/// The text with ranks in the place of numbers.
#[must_use]
pub fn pack(text: &str) -> String {
    rewrite(text, |class, name, out| {
        let Ok(number) = name.parse() else { return false };
        match class.recent.iter().rev().position(|&other| other == number) {
            Some(rank) => {
                class.touch(rank);
                let _ = write!(out, "{rank}"); // into a string, which takes all
            }
            None => {
                class.recent.push(number);
                out.push('.');
            }
        }
        true
    })
}

/// The text with numbers again.
#[must_use]
pub fn unpack(text: &str) -> String {
    rewrite(text, |class, name, out| {
        let register = if name == "." {
            let register = class.recent.len() as u32 + 1;
            class.recent.push(register);
            register
        } else {
            let Some(register) = name.parse().ok().and_then(|rank| class.touch(rank)) else { return false };
            register
        };
        let _ = write!(out, "{register}");
        true
    })
}

/// Copies a text, and lets `rename` write what follows the class in the name of a register; what it leaves stays.
/// Classes are known from their declarations, such as `.reg .b32 %r<123>;`, and each declaration begins anew.
fn rewrite<'t>(text: &'t str, mut rename: impl FnMut(&mut Class, &'t str, &mut String) -> bool) -> String {
    let mut classes: HashMap<&str, Class> = HashMap::new();
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, name)) = rest.split_once('%') {
            out.push_str(before);
            out.push('%');
            let class = &name[..name.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(name.len())];
            rest = &name[class.len()..];
            out.push_str(class);
            if rest.starts_with('<') && line.trim_start().starts_with(".reg") {
                classes.insert(class, Class::default());
            } else if let Some(known) = classes.get_mut(class) {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let end = if digits == 0 && rest.starts_with('.') { 1 } else { digits };
                if end > 0 && rename(known, &rest[..end], &mut out) {
                    rest = &rest[end..];
                }
            }
        }
        out.push_str(rest);
    }
    out
}
