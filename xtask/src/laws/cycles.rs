//! Import cycles: in each crate the files that reach each other by their imports are few.

use std::collections::{BTreeMap, BTreeSet};

use crate::house::{House, RustFile};

/// The files in the largest import cycle of each crate that has one. A figure may only shrink.
const LARGEST_CYCLES: &[(&str, usize)] = &[
    ("analysis", 3),
    ("check", 7),
    ("cpu", 3),
    ("graphwright", 2),
    ("kernels", 6),
    ("lower", 6),
    ("macros", 2),
    ("py", 7),
    ("runtime", 6),
    ("syntax", 2),
    ("trace", 2),
    ("types", 2),
];

/// The largest import cycle of a crate has exactly as many files as its row says; a crate without a row has none.
pub fn import_cycles_only_shrink(house: &House) -> Vec<String> {
    exceeded(house, LARGEST_CYCLES)
}

fn exceeded(house: &House, table: &[(&str, usize)]) -> Vec<String> {
    let mut complaints = Vec::new();
    let folders: BTreeSet<&str> = house.rust.iter().filter_map(|file| folder(&file.path)).collect();
    for folder in &folders {
        let largest = Modules::of(house, folder).largest_cycle();
        let allowed = table.iter().find(|(name, _)| name == folder).map_or(0, |(_, files)| *files);
        let found = largest.len();
        if found > allowed {
            let files = largest.join(", ");
            complaints
                .push(format!("crates/{folder}: {found} files import each other, {allowed} may: {files}"));
        } else if found < allowed {
            let change =
                if found == 0 { "remove its row".to_owned() } else { format!("lower its row to {found}") };
            complaints.push(format!(
                "crates/{folder}: the largest cycle has {found} files, not {allowed}; {change}"
            ));
        }
    }
    let gone = table.iter().filter(|(name, _)| !folders.contains(name));
    complaints.extend(gone.map(|(name, _)| format!("crates/{name}: there is no such crate; remove its row")));
    complaints
}

/// The number of files in the largest import cycle of the crate in a folder of `crates`.
pub fn largest_cycle(house: &House, folder: &str) -> usize {
    Modules::of(house, folder).largest_cycle().len()
}

/// Every import between files of one cycle, as `from -> to`, crate by crate.
pub fn arrows(house: &House) -> Vec<String> {
    let folders: BTreeSet<&str> = house.rust.iter().filter_map(|file| folder(&file.path)).collect();
    let mut lines = Vec::new();
    for folder in folders {
        let modules = Modules::of(house, folder);
        for cycle in modules.cycles() {
            lines.push(format!("crates/{folder}: {} files", cycle.len()));
            for &from in &cycle {
                let inside = modules.imports[from].iter().filter(|(to, _)| cycle.contains(to));
                lines.extend(inside.map(|(to, names)| {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    format!("  {} -> {}: {}", modules.name(from), modules.name(*to), names.join(", "))
                }));
            }
        }
    }
    lines
}

/// The folder of the crate that a path lies in, if it is one of its sources.
fn folder(path: &str) -> Option<&str> {
    let (folder, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    rest.starts_with("src/").then_some(folder)
}

/// The modules of one crate that are files, without those of tests, and which imports which.
struct Modules<'a> {
    files: Vec<&'a RustFile>,
    /// Each file by the path of its module from the root of the crate.
    by_path: BTreeMap<Vec<String>, usize>,
    /// For each file, the files that it imports, with the names.
    imports: Vec<BTreeMap<usize, BTreeSet<String>>>,
}

/// The longest chain of re-exports that is followed.
const MOST_REEXPORTS: usize = 16;

impl<'a> Modules<'a> {
    fn of(house: &'a House, folder: &str) -> Self {
        let source = format!("crates/{folder}/src/");
        let all: BTreeMap<Vec<String>, &RustFile> = house
            .rust
            .iter()
            .filter_map(|file| Some((module(file.path.strip_prefix(&source)?), file)))
            .collect();
        let is_for_tests = |path: &[String]| {
            (0..path.len()).any(|at| {
                let declares = |parent: &&RustFile| parent.imports.test_modules.contains(&path[at]);
                all.get(&path[..at]).is_some_and(declares)
            })
        };
        let own: Vec<_> = all.iter().filter(|(path, _)| !is_for_tests(path)).collect();
        let files: Vec<&RustFile> = own.iter().map(|(_, file)| **file).collect();
        let by_path = own.iter().enumerate().map(|(at, (path, _))| ((*path).clone(), at)).collect();
        let mut modules = Modules { files, by_path, imports: Vec::new() };
        modules.imports = modules.by_path.values().map(|&at| modules.imported(at)).collect();
        modules
    }

    fn name(&self, file: usize) -> String {
        let path = self.by_path.iter().find(|(_, at)| **at == file).map(|(path, _)| path.join("::"));
        path.filter(|path| !path.is_empty()).unwrap_or_else(|| "lib".to_owned())
    }

    /// The files that a file imports. A re-export counts only where the file itself uses the name.
    fn imported(&self, file: usize) -> BTreeMap<usize, BTreeSet<String>> {
        let imports = &self.files[file].imports;
        let uses_itself = |name: &String| imports.paths.iter().any(|path| path.first() == Some(name));
        let by_use = imports
            .uses
            .iter()
            .filter(|one| one.is_private || one.name.as_ref().is_some_and(uses_itself))
            .filter_map(|one| {
                let target = match &one.name {
                    Some(_) => self.resolve(file, &one.path, 0),
                    None => self.module_of(file, &one.path, 0),
                };
                Some((target?, one.path.last()?))
            });
        let in_code = imports.paths.iter().filter(|path| path.len() > 1);
        let in_code = in_code.filter_map(|path| Some((self.resolve(file, path, 0)?, path.last()?)));
        let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (target, name) in by_use.chain(in_code).filter(|(target, _)| *target != file) {
            found.entry(target).or_default().insert(name.clone());
        }
        found
    }

    /// The file that defines what a path names in a file; `None` for a module as a whole and for what is foreign.
    fn resolve(&self, file: usize, path: &[String], depth: usize) -> Option<usize> {
        let (at, rest) = self.descend(file, path, depth)?;
        let (name, _) = rest.split_first()?;
        if depth > MOST_REEXPORTS {
            return Some(at);
        }
        let imports = &self.files[at].imports;
        if imports.items.contains(name) {
            return Some(at);
        }
        if let Some(one) = imports.uses.iter().find(|one| one.name.as_ref() == Some(name)) {
            let whole: Vec<String> = one.path.iter().chain(&rest[1..]).cloned().collect();
            // A name that is imported as itself is foreign.
            return if at == file && whole == path { None } else { self.resolve(at, &whole, depth + 1) };
        }
        let globs = imports.uses.iter().filter(|one| one.name.is_none());
        let mut defining = globs.filter_map(|one| self.module_of(at, &one.path, depth + 1));
        let found = defining.find(|&module| module != at && self.defines(module, name));
        // Names that a macro defines are not seen, and are taken for the module's own.
        let is_own = at != file || matches!(path[0].as_str(), "crate" | "self" | "super");
        found.or_else(|| is_own.then_some(at))
    }

    /// True if a module defines a name or imports it.
    fn defines(&self, module: usize, name: &String) -> bool {
        let imports = &self.files[module].imports;
        imports.items.contains(name) || imports.uses.iter().any(|one| one.name.as_ref() == Some(name))
    }

    /// The module that a path names as a whole.
    fn module_of(&self, file: usize, path: &[String], depth: usize) -> Option<usize> {
        let (at, rest) = self.descend(file, path, depth)?;
        rest.is_empty().then_some(at)
    }

    /// The innermost module that a path leads to from a file, and what is left of it.
    fn descend<'p>(&self, file: usize, path: &'p [String], depth: usize) -> Option<(usize, &'p [String])> {
        let mut at = self.path(file).to_vec();
        let mut rest = path;
        while let Some((first, behind)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                name => {
                    at.push(name.to_owned());
                    if !self.by_path.contains_key(&at) {
                        at.pop();
                        break;
                    }
                }
            }
            rest = behind;
        }
        let here = *self.by_path.get(&at)?;
        let imported = rest.first().and_then(|name| {
            let uses = &self.files[here].imports.uses;
            uses.iter().find(|one| one.name.as_ref() == Some(name))
        });
        // A module that is imported by name, as `use crate::rules;`.
        if let Some(one) = imported
            && depth <= MOST_REEXPORTS
            && one.path != path
            && let Some(module) = self.module_of(here, &one.path, depth + 1)
        {
            let (inner, left) = self.descend(module, &rest[1..], depth + 1)?;
            return Some((inner, left));
        }
        Some((here, rest))
    }

    fn path(&self, file: usize) -> &[String] {
        self.by_path.iter().find(|(_, at)| **at == file).map_or(&[], |(path, _)| path)
    }

    /// Each set of two files or more that reach each other, largest first.
    fn cycles(&self) -> Vec<Vec<usize>> {
        let reached: Vec<BTreeSet<usize>> = (0..self.files.len()).map(|file| self.reached(file)).collect();
        let mut cycles: Vec<Vec<usize>> = Vec::new();
        for file in 0..self.files.len() {
            if cycles.iter().all(|cycle| !cycle.contains(&file)) && reached[file].contains(&file) {
                let both = reached[file].iter().copied().filter(|other| reached[*other].contains(&file));
                cycles.push(both.collect());
            }
        }
        cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
        cycles
    }

    fn largest_cycle(&self) -> Vec<String> {
        let cycles = self.cycles();
        cycles.first().map_or_else(Vec::new, |cycle| cycle.iter().map(|&file| self.name(file)).collect())
    }

    fn reached(&self, file: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<usize> = self.imports[file].keys().copied().collect();
        while let Some(file) = next.pop() {
            if reached.insert(file) {
                next.extend(self.imports[file].keys());
            }
        }
        reached
    }
}

/// The path of the module of a file, from the source folder of its crate.
fn module(file: &str) -> Vec<String> {
    let file = file.strip_suffix(".rs").unwrap_or(file);
    let file = file.strip_suffix("/mod").unwrap_or(file);
    match file {
        "lib" | "main" => Vec::new(),
        _ => file.split('/').map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{arrows, exceeded};
    use crate::house::House;

    fn house(files: &[(&str, &str)]) -> House {
        let files = files.iter().map(|(path, text)| Ok((format!("crates/a/src/{path}"), (*text).to_owned())));
        House::of(files).expect("the files can be read")
    }

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&arrows(&house(files)).join("\n"));
    }

    #[test]
    fn files_that_import_each_other_are_a_cycle() {
        check(
            &[("lib.rs", "mod b;"), ("b.rs", "use crate::c::f;"), ("c.rs", "fn f() { crate::b::g() }")],
            expect![[r#"
                crates/a: 2 files
                  b -> c: f
                  c -> b: g"#]],
        );
    }

    #[test]
    fn one_way_is_no_cycle() {
        check(&[("lib.rs", "mod b;"), ("b.rs", "use crate::c::f;"), ("c.rs", "pub fn f() {}")], expect![""]);
    }

    #[test]
    fn parent_and_child_are_a_cycle() {
        check(
            &[("lib.rs", ""), ("b/mod.rs", "use c::f; struct B;"), ("b/c.rs", "use super::B; fn f() {}")],
            expect![[r#"
                crates/a: 2 files
                  b -> b::c: f
                  b::c -> b: B"#]],
        );
    }

    #[test]
    fn a_name_that_is_passed_on_belongs_to_the_file_that_defines_it() {
        let passes_on = [
            ("lib.rs", "pub use b::B; pub use d::*; mod b; mod c; mod d;"),
            ("b.rs", "pub struct B;"),
            ("c.rs", "use crate::B; fn f() -> crate::D {}"),
            ("d.rs", "use crate::c::f; pub struct D;"),
        ];
        check(
            &passes_on,
            expect![[r#"
                crates/a: 2 files
                  c -> d: D
                  d -> c: f"#]],
        );
    }

    #[test]
    fn a_module_is_imported_by_the_names_behind_it() {
        check(
            &[
                ("lib.rs", "mod b; mod c;"),
                ("b/mod.rs", "pub use d::g; mod d; use crate::c;"),
                ("b/d.rs", "use crate::c; pub fn g() { vec![c::f()] }"),
                ("c.rs", "use crate::b; fn f() { b::g() }"),
            ],
            expect![[r#"
                crates/a: 2 files
                  b::d -> c: f
                  c -> b::d: g"#]],
        );
    }

    #[test]
    fn what_tests_import_does_not_count() {
        check(
            &[
                ("lib.rs", "#[cfg(test)] mod tests; pub fn f() {} mod b;"),
                ("tests.rs", "use crate::f; use crate::b::g;"),
                ("b.rs", "use crate::f; #[cfg(test)] mod tests { use crate::tests::x; }"),
            ],
            expect![""],
        );
    }

    #[test]
    fn super_inside_a_file_is_the_file() {
        check(
            &[("lib.rs", "pub fn f() { b::g() }"), ("b.rs", "fn g() {} mod inner { use super::g; }")],
            expect![""],
        );
    }

    #[test]
    fn a_row_may_only_shrink() {
        let two = house(&[("lib.rs", ""), ("b.rs", "use crate::c::f;"), ("c.rs", "use crate::b::g;")]);
        let check =
            |table: &[(&str, usize)], expected: Expect| expected.assert_eq(&exceeded(&two, table).join("\n"));
        check(&[("a", 2)], expect![""]);
        check(&[], expect!["crates/a: 2 files import each other, 0 may: b, c"]);
        check(&[("a", 3)], expect!["crates/a: the largest cycle has 2 files, not 3; lower its row to 2"]);
        check(&[("a", 2), ("z", 2)], expect!["crates/z: there is no such crate; remove its row"]);
        let none = house(&[("lib.rs", "")]);
        expect!["crates/a: the largest cycle has 0 files, not 2; remove its row"]
            .assert_eq(&exceeded(&none, &[("a", 2)]).join("\n"));
    }
}
