//! The repository as the laws look at it: its rooms with their dependencies, and facts about each source file.

#![allow(clippy::wildcard_enum_match_arm, reason = "the parser's enums are not ours and not exhaustive")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::imports::Imports;

/// Everything that the laws may ask about.
pub struct House {
    /// Each crate of the workspace.
    pub rooms: Vec<Room>,
    /// Each Rust file.
    pub rust: Vec<RustFile>,
    /// Each Python file and stub.
    pub python: Vec<TextFile>,
    /// Each Markdown file.
    pub pages: Vec<TextFile>,
    /// The workspace's own `Cargo.toml`.
    pub workspace: toml::Table,
}

/// A crate.
pub struct Room {
    /// As cargo calls it.
    pub name: String,
    /// Path from the root.
    pub folder: String,
    /// Dependencies, in-house or foreign; those of its tests alone are left out.
    pub uses: Vec<String>,
    /// Its `Cargo.toml`.
    pub manifest: toml::Table,
}

/// A file that is looked at as lines.
pub struct TextFile {
    /// From the root, with `/`.
    pub path: String,
    /// Contents.
    pub text: String,
}

/// A Rust file with what the laws ask about it.
pub struct RustFile {
    /// From the root, with `/`.
    pub path: String,
    /// Contents.
    pub text: String,
    /// Its tokens.
    pub words: Vec<Word>,
    /// Its tokens outside tests.
    pub live: Vec<Word>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// Its `match`es that have a catch-all arm.
    pub wildcards: Vec<Wildcard>,
    /// Its imports.
    pub imports: Imports,
}

/// An identifier, a run of punctuation, a literal or a bracket.
pub struct Word {
    /// As it is written.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A function with a body.
pub struct Function {
    /// Its name, without its type.
    pub name: String,
    /// Lines from `fn` to its last brace.
    pub lines: usize,
    /// Is it a `#[test]`?
    pub is_test: bool,
}

/// A `match` with an arm `_ =>` or `name =>`.
pub struct Wildcard {
    /// The enums which its other arms name.
    pub over: Vec<String>,
    /// The line of the catch-all arm.
    pub line: usize,
}

impl House {
    /// Reads the repository in a folder.
    pub fn read(folder: &Path) -> io::Result<House> {
        let root = folder.canonicalize()?;
        let mut paths = Vec::new();
        walk(&root, &mut paths)?;
        paths.sort();
        let files = paths.into_iter().map(|path| {
            let relative = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            Ok((relative, fs::read_to_string(&path)?))
        });
        House::of(files)
    }

    /// The repository of these files, each with its path from the root.
    pub fn of(files: impl IntoIterator<Item = io::Result<(String, String)>>) -> io::Result<House> {
        let mut house = House {
            rooms: Vec::new(),
            rust: Vec::new(),
            python: Vec::new(),
            pages: Vec::new(),
            workspace: toml::Table::new(),
        };
        for file in files {
            let (path, text) = file?;
            house.take(path, text)?;
        }
        Ok(house)
    }

    fn take(&mut self, path: String, text: String) -> io::Result<()> {
        if path == "Cargo.toml" {
            self.workspace = parse_toml(&path, &text)?;
        } else if let Some(folder) = path.strip_suffix("/Cargo.toml") {
            self.rooms.push(Room::read(folder, parse_toml(&path, &text)?));
        } else if path.ends_with(".rs") {
            self.rust.push(RustFile::read(path, text)?);
        } else if path.ends_with(".py") || path.ends_with(".pyi") {
            self.python.push(TextFile { path, text });
        } else if path.ends_with(".md") {
            self.pages.push(TextFile { path, text });
        }
        Ok(())
    }

    /// The text of one page, empty where there is none.
    pub fn page(&self, path: &str) -> &str {
        self.pages.iter().find(|page| page.path == path).map_or("", |page| &page.text)
    }

    /// The Rust files below a folder.
    pub fn rust_in<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a RustFile> {
        self.rust.iter().filter(move |file| file.path.starts_with(folder))
    }
}

/// The folder of the repository in which this program was built.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    const NOT_OURS: &[&str] = &["target", "dist", "gallery", "__pycache__", "node_modules"];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || NOT_OURS.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            walk(&path, found)?;
        } else if [".rs", ".py", ".pyi", ".md", ".toml"].iter().any(|end| name.ends_with(end)) {
            found.push(path);
        }
    }
    Ok(())
}

fn parse_toml(path: &str, text: &str) -> io::Result<toml::Table> {
    text.parse::<toml::Table>().map_err(|error| io::Error::other(format!("{path}: {error}")))
}

impl Room {
    fn read(folder: &str, manifest: toml::Table) -> Room {
        let name = manifest.get("package").and_then(|p| p.get("name")).and_then(|n| n.as_str());
        let mut uses = Vec::new();
        add_dependencies(&manifest, &mut uses);
        if let Some(targets) = manifest.get("target").and_then(|t| t.as_table()) {
            for target in targets.values().filter_map(|t| t.as_table()) {
                add_dependencies(target, &mut uses);
            }
        }
        Room { name: name.unwrap_or(folder).to_owned(), folder: folder.to_owned(), uses, manifest }
    }
}

fn add_dependencies(table: &toml::Table, uses: &mut Vec<String>) {
    for section in ["dependencies", "build-dependencies"] {
        if let Some(dependencies) = table.get(section).and_then(|d| d.as_table()) {
            uses.extend(dependencies.keys().cloned());
        }
    }
}

impl RustFile {
    /// The file at `path` with `text`; an error if it is not Rust.
    pub fn read(path: String, text: String) -> io::Result<RustFile> {
        let syntax = syn::parse_file(&text).map_err(|error| io::Error::other(format!("{path}: {error}")))?;
        let mut words = Vec::new();
        flatten(syntax.to_token_stream(), &mut words);
        let mut live = Vec::new();
        let only_tests = ["/tests/", "/benches/", "/examples/"].iter().any(|part| path.contains(part));
        if !only_tests {
            flatten_live(&syntax.items, &mut live);
        }
        let mut facts = Facts::default();
        facts.visit_file(&syntax);
        let imports = Imports::read(&syntax);
        let Facts { functions, wildcards } = facts;
        Ok(RustFile { path, text, words, live, functions, wildcards, imports })
    }
}

fn flatten_live(items: &[syn::Item], words: &mut Vec<Word>) {
    for item in items {
        let mut tokens = Vec::new();
        flatten(item.to_token_stream(), &mut tokens);
        let texts: Vec<&str> = tokens.iter().take(40).map(|w| w.text.as_str()).collect();
        if texts.windows(7).any(|w| w == ["#", "[", "cfg", "(", "test", ")", "]"]) && starts_so(&texts) {
            continue;
        }
        match item {
            syn::Item::Mod(module) if module.content.is_some() => {
                flatten_live(module.content.as_ref().map_or(&[], |(_, items)| items), words);
            }
            _ => words.extend(tokens),
        }
    }
}

/// Are the first words attributes up to and including `#[cfg(test)]`?
fn starts_so(texts: &[&str]) -> bool {
    let mut at = 0;
    while texts.get(at) == Some(&"#") {
        if texts[at..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            return true;
        }
        at += 1 + texts[at..].iter().skip(1).position(|t| *t == "#").unwrap_or(texts.len());
    }
    false
}

/// The words of a stream of tokens.
pub fn flatten(tokens: TokenStream, words: &mut Vec<Word>) {
    let mut joined = false;
    for token in tokens {
        let line = token.span().start().line;
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                words.push(Word { text: open.to_owned(), line });
                flatten(group.stream(), words);
                words.push(Word { text: close.to_owned(), line: group.span_close().start().line });
                joined = false;
            }
            TokenTree::Punct(punct) => {
                match words.last_mut() {
                    Some(last) if joined => last.text.push(punct.as_char()),
                    Some(_) | None => words.push(Word { text: punct.as_char().to_string(), line }),
                }
                joined = punct.spacing() == Spacing::Joint;
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                words.push(Word { text: token.to_string(), line });
                joined = false;
            }
        }
    }
}

#[derive(Default)]
struct Facts {
    functions: Vec<Function>,
    wildcards: Vec<Wildcard>,
}

impl Facts {
    fn function(
        &mut self,
        signature: &syn::Signature,
        whole: proc_macro2::Span,
        attributes: &[syn::Attribute],
    ) {
        self.functions.push(Function {
            name: signature.ident.to_string(),
            lines: whole.end().line + 1 - signature.span().start().line,
            is_test: attributes.iter().any(|a| a.path().is_ident("test")),
        });
    }
}

impl<'ast> Visit<'ast> for Facts {
    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.sig, node.span(), &node.attrs);
        visit::visit_item_fn(self, node);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.sig, node.span(), &node.attrs);
        visit::visit_impl_item_fn(self, node);
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        self.function(&node.sig, node.span(), &node.attrs);
        visit::visit_trait_item_fn(self, node);
    }

    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        let mut over = Vec::new();
        let mut line = None;
        for arm in &node.arms {
            enums_of(&arm.pat, &mut over);
            if catches_all(&arm.pat) {
                line = Some(arm.pat.span().start().line);
            }
        }
        if let Some(line) = line {
            self.wildcards.push(Wildcard { over, line });
        }
        visit::visit_expr_match(self, node);
    }
}

/// A guarded arm is a pattern of another kind, so it catches only what its guard lets through.
fn catches_all(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(name) => {
            name.subpat.is_none()
                && name.ident.to_string().starts_with(|c: char| c.is_lowercase() || c == '_')
        }
        _ => false,
    }
}

/// The `E` of every pattern `E::V`, `E::V(..)`, `E::V { .. }` in `pattern`, through `|`, `&` and `if`.
fn enums_of(pattern: &syn::Pat, found: &mut Vec<String>) {
    match pattern {
        syn::Pat::Or(or) => or.cases.iter().for_each(|case| enums_of(case, found)),
        syn::Pat::Reference(reference) => enums_of(&reference.pat, found),
        syn::Pat::Guard(guarded) => enums_of(&guarded.pat, found),
        syn::Pat::Paren(paren) => enums_of(&paren.pat, found),
        syn::Pat::Path(path) => found.extend(second_to_last(&path.path)),
        syn::Pat::TupleStruct(tuple) => found.extend(second_to_last(&tuple.path)),
        syn::Pat::Struct(fields) => found.extend(second_to_last(&fields.path)),
        _ => {}
    }
}

fn second_to_last(path: &syn::Path) -> Option<String> {
    path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string())
}
