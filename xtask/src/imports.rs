//! The names that a Rust file imports, defines and mentions: what the law on import cycles reads.

#![allow(clippy::wildcard_enum_match_arm, reason = "the parser's enums are not ours and not exhaustive")]

use std::collections::BTreeSet;

use quote::ToTokens;

use crate::house::{Word, flatten};

/// The imports of one file, its tests left out.
#[derive(Default)]
pub struct Imports {
    /// Its `use` items, one per name.
    pub uses: Vec<Use>,
    /// The items that it defines.
    pub items: BTreeSet<String>,
    /// The modules that it declares for tests alone.
    pub test_modules: Vec<String>,
    /// The paths in its code, as `["crate", "fault", "Fault"]`; a single name is a path too.
    pub paths: BTreeSet<Vec<String>>,
}

/// One name of a `use` item.
pub struct Use {
    /// The path as it is written, without `*`.
    pub path: Vec<String>,
    /// The name that it gets; `None` for `*`.
    pub name: Option<String>,
    /// False for `pub use`, whatever its visibility.
    pub is_private: bool,
}

impl Imports {
    /// The imports of a parsed file.
    pub fn read(file: &syn::File) -> Imports {
        let mut imports = Imports::default();
        imports.take(&file.items, 0);
        imports
    }

    /// Takes items in as many modules inside the file.
    fn take(&mut self, items: &[syn::Item], depth: usize) {
        for item in items {
            let is_test = attributes(item).iter().any(is_for_tests);
            match item {
                syn::Item::Mod(module) if module.content.is_none() => {
                    if is_test {
                        self.test_modules.push(module.ident.to_string());
                    }
                }
                _ if is_test => {}
                syn::Item::Use(item) => {
                    let is_private = matches!(item.vis, syn::Visibility::Inherited);
                    let known = self.uses.len();
                    self.take_use(&item.tree, &mut Vec::new(), is_private);
                    self.uses[known..].iter_mut().for_each(|one| leave(&mut one.path, depth));
                }
                syn::Item::Mod(module) => {
                    self.take(module.content.as_ref().map_or(&[], |(_, items)| items), depth + 1);
                }
                _ => {
                    self.items.extend(defined(item));
                    let mut words = Vec::new();
                    flatten(item.to_token_stream(), &mut words);
                    let mut paths = paths(&words);
                    paths.iter_mut().for_each(|path| leave(path, depth));
                    self.paths.extend(paths);
                }
            }
        }
    }

    fn take_use(&mut self, tree: &syn::UseTree, prefix: &mut Vec<String>, is_private: bool) {
        let mut leaf = |path: Vec<String>, name: Option<String>| {
            self.uses.push(Use { path, name, is_private });
        };
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.take_use(&path.tree, prefix, is_private);
                prefix.pop();
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.take_use(tree, prefix, is_private));
            }
            syn::UseTree::Glob(_) => leaf(prefix.clone(), None),
            syn::UseTree::Name(name) => {
                let path = joined(prefix, &name.ident);
                let last = path.last().cloned();
                leaf(path, last);
            }
            syn::UseTree::Rename(rename) => {
                leaf(joined(prefix, &rename.ident), Some(rename.rename.to_string()));
            }
        }
    }
}

/// Makes a path that is written in as many modules inside a file one that is written in the file.
fn leave(path: &mut [String], depth: usize) {
    let inside = path.iter_mut().take(depth).take_while(|name| *name == "super");
    inside.for_each(|name| "self".clone_into(name));
}

/// The path of a name behind a prefix; `self` is the prefix.
fn joined(prefix: &[String], name: &proc_macro2::Ident) -> Vec<String> {
    let own = (name != "self").then(|| name.to_string());
    prefix.iter().cloned().chain(own).collect()
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attribute: &syn::Attribute) -> bool {
    let text = attribute.to_token_stream().to_string().replace(' ', "");
    text == "#[cfg(test)]" || text == "#[test]"
}

/// The name that an item defines.
fn defined(item: &syn::Item) -> Option<String> {
    match item {
        syn::Item::Const(item) => Some(item.ident.to_string()),
        syn::Item::Enum(item) => Some(item.ident.to_string()),
        syn::Item::Fn(item) => Some(item.sig.ident.to_string()),
        syn::Item::Macro(item) => item.ident.as_ref().map(ToString::to_string),
        syn::Item::Static(item) => Some(item.ident.to_string()),
        syn::Item::Struct(item) => Some(item.ident.to_string()),
        syn::Item::Trait(item) => Some(item.ident.to_string()),
        syn::Item::Type(item) => Some(item.ident.to_string()),
        syn::Item::Union(item) => Some(item.ident.to_string()),
        _ => None,
    }
}

/// The longest runs `a::b::c` among words, those of one name among them.
fn paths(words: &[Word]) -> Vec<Vec<String>> {
    let is_name = |word: &Word| word.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut continues = false;
    for word in words {
        if is_name(word) {
            match found.last_mut() {
                Some(path) if continues => path.push(word.text.clone()),
                Some(_) | None => found.push(vec![word.text.clone()]),
            }
        }
        continues = word.text == "::" && !found.is_empty();
    }
    found
}
