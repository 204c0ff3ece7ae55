//! The figures of the sources: sizes, import cycles, tests of the rules of staging, and places that name an op.
//!
//! `docs/design/figures.md` shows them beside those of an earlier commit; a law keeps the page near the sources.

use std::collections::BTreeMap;

use crate::house::{House, RustFile};
use crate::laws::largest_cycle;

/// The page that shows the figures.
pub const PAGE: &str = "docs/design/figures.md";

/// The op whose places are counted, as a name of Rust and of Python: one real argument, no case of its own.
const OP: (&str, &str) = ("Expm1", "expm1");

/// The folders whose tests are about lists, dicts, aliases, exceptions and recursion without a host language.
const STAGING: &[&str] = &[
    "crates/trace/src/exceptions/",
    "crates/trace/src/fixpoint",
    "crates/trace/src/functions/",
    "crates/trace/src/objects/",
    "crates/trace/tests/objects/",
    "crates/trace/tests/programs/",
];

const HEAD: &str = "# Figures of the sources

`cargo xtask figures` writes this page; a law of `cargo xtask tidy` holds it within a tenth of what it counts. *Before* is the commit
at which the layout of `ARCHITECTURE.md` was planned (`cargo xtask figures FOLDER` takes it from a checkout of that commit).
Lines and files are those of `src`, tests inside them included; a cycle is a set of files that import each other.
";

const CRATES: &str =
    "| crate | files | lines | largest cycle | files before | lines before | largest cycle before |";
const OTHERS: &str = "| figure | now | before |";

/// Begins the part of the page that is written by hand: figures that depend on a machine.
const MEASURED: &str = "\n## Measured";

/// Rows of figures by what they are about; those of a crate are its files, its lines and its largest cycle.
type Rows = BTreeMap<String, Vec<usize>>;

/// The figures of one commit.
#[derive(Default)]
pub struct Figures {
    crates: Rows,
    others: Rows,
}

impl Figures {
    /// Counts what a repository has.
    pub fn of(house: &House) -> Figures {
        let folders = house.rooms.iter().filter_map(|room| room.folder.strip_prefix("crates/"));
        let crates = folders.map(|folder| (format!("`{folder}`"), of_crate(house, folder))).collect();
        let others = [of_sizes(house), of_tests(house), of_op(house)].concat();
        Figures { crates, others: others.into_iter().map(|(row, figure)| (row, vec![figure])).collect() }
    }

    /// The figures that a page shows: of now, and of before.
    pub fn read(page: &str) -> (Figures, Figures) {
        let (mut now, mut before) = (Figures::default(), Figures::default());
        let counted = page.split(MEASURED).next().unwrap_or_default();
        for line in counted.lines().filter(|line| line.starts_with('|')) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let (row, cells) = (cells[0].to_owned(), &cells[1..]);
            for (figures, cells) in
                [&mut now, &mut before].into_iter().zip(cells.chunks(cells.len().div_ceil(2)))
            {
                let read: Result<Vec<usize>, _> = cells.iter().map(|cell| cell.parse()).collect();
                let rows = if cells.len() > 1 { &mut figures.crates } else { &mut figures.others };
                rows.extend(read.ok().map(|read| (row.clone(), read)));
            }
        }
        (now, before)
    }

    /// The page of these figures beside those of before; `old` is the page whose measured part stays.
    pub fn page(&self, before: &Figures, old: &str) -> String {
        let crates = table(CRATES, &self.crates, &before.crates);
        let others = table(OTHERS, &self.others, &before.others);
        let measured = old.find(MEASURED).map_or("", |at| &old[at..]);
        format!("{HEAD}\n{crates}\n{others}{measured}")
    }

    fn rows(&self) -> impl Iterator<Item = (&String, &Vec<usize>)> {
        self.crates.iter().chain(&self.others)
    }
}

/// Complaints about a page: rows that it lacks, rows left over, and figures that are more than a tenth off.
pub fn outdated(house: &House) -> Vec<String> {
    let page = house.page(PAGE);
    if page.is_empty() {
        return Vec::new();
    }
    let (now, (shown, _)) = (Figures::of(house), Figures::read(page));
    let shown: BTreeMap<_, _> = shown.rows().collect();
    let mut complaints = Vec::new();
    for (row, counted) in now.rows() {
        match shown.get(row) {
            Some(figures)
                if figures.iter().zip(counted).all(|(shown, counted)| is_near(*shown, *counted)) => {}
            Some(figures) => complaints.push(format!("{PAGE}: {row} has {counted:?}, not {figures:?}")),
            None => complaints.push(format!("{PAGE}: {row} is missing")),
        }
    }
    let counted: BTreeMap<_, _> = now.rows().collect();
    let left = shown.keys().filter(|row| !counted.contains_key(*row));
    complaints.extend(left.map(|row| format!("{PAGE}: {row} is not there any more")));
    complaints.extend((!complaints.is_empty()).then(|| format!("{PAGE}: run `cargo xtask figures`")));
    complaints
}

/// A change of a few files or of a tenth leaves a page true, so that commits side by side do not all rewrite it.
fn is_near(shown: usize, counted: usize) -> bool {
    shown.abs_diff(counted) <= (counted / 10).max(3)
}

fn table(head: &str, now: &Rows, before: &Rows) -> String {
    let columns = head.matches('|').count() - 1;
    let mut lines = vec![head.to_owned(), format!("|---{}|", "|---:".repeat(columns - 1))];
    for row in now.keys().chain(before.keys().filter(|row| !now.contains_key(*row))) {
        let cells = |rows: &Rows| match rows.get(row) {
            Some(figures) => figures.iter().map(|figure| format!(" {figure} |")).collect::<String>(),
            None => " – |".repeat((columns - 1) / 2),
        };
        lines.push(format!("| {row} |{}{}", cells(now), cells(before)));
    }
    lines.join("\n") + "\n"
}

fn of_crate(house: &House, folder: &str) -> Vec<usize> {
    let source = format!("crates/{folder}/src/");
    let lengths: Vec<usize> = house.rust_in(&source).map(lines).collect();
    vec![lengths.len(), lengths.iter().sum(), largest_cycle(house, folder)]
}

fn of_sizes(house: &House) -> Vec<(String, usize)> {
    let files = sources(house).map(lines).collect();
    let functions =
        sources(house).flat_map(|file| file.functions.iter().filter(|function| !function.is_test));
    let functions = functions.map(|function| function.lines).collect();
    let rows = [("file", spread(files)), ("function", spread(functions))];
    let named = rows.into_iter().flat_map(|(of, (median, longest))| {
        [(format!("lines of the median {of}"), median), (format!("lines of the longest {of}"), longest)]
    });
    named.collect()
}

/// The median and the largest.
fn spread(mut figures: Vec<usize>) -> (usize, usize) {
    figures.sort_unstable();
    (figures.get(figures.len() / 2).copied().unwrap_or(0), figures.last().copied().unwrap_or(0))
}

fn of_tests(house: &House) -> Vec<(String, usize)> {
    let tests = |file: &RustFile| file.functions.iter().filter(|function| function.is_test).count();
    let of_staging = |file: &&RustFile| STAGING.iter().any(|folder| file.path.starts_with(folder));
    let staging = house.rust.iter().filter(of_staging).map(tests).sum();
    vec![
        ("Rust tests".to_owned(), house.rust.iter().map(tests).sum()),
        ("Rust tests of lists, dicts, aliases, exceptions and recursion".to_owned(), staging),
    ]
}

/// The places that name an op: what a new one of its kind has to touch.
fn of_op(house: &House) -> Vec<(String, usize)> {
    let (rust, python) = OP;
    let named = |file: &RustFile| file.live.iter().filter(|word| word.text == rust).count();
    let sites: Vec<usize> = sources(house).map(named).filter(|sites| *sites > 0).collect();
    let words =
        |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == python);
    let package = house.python.iter().filter(|file| file.path.starts_with("python/graphwright/"));
    vec![
        (format!("Rust files that name `{rust}`"), sites.len()),
        (format!("Sites in Rust that name `{rust}`"), sites.iter().sum()),
        (format!("Python files that name `{python}`"), package.filter(|file| words(&file.text)).count()),
    ]
}

fn sources(house: &House) -> impl Iterator<Item = &RustFile> {
    house.rust_in("crates/").filter(|file| file.path.contains("/src/"))
}

fn lines(file: &RustFile) -> usize {
    file.text.lines().count()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::{Figures, PAGE, outdated};
    use crate::house::House;

    fn house(page: &str) -> House {
        let files = [
            ("crates/a/Cargo.toml", ""),
            ("crates/a/src/lib.rs", "fn f() {\n  Expm1\n}\n#[test] fn t() {}\n"),
            ("crates/trace/tests/objects/lists.rs", "#[test] fn t() {}\n"),
            ("python/graphwright/a.py", "expm1\n"),
            (PAGE, page),
        ];
        House::of(files.map(|(path, text)| Ok((path.to_owned(), text.to_owned()))))
            .expect("files can be read")
    }

    #[test]
    fn a_page_shows_what_is_counted_and_reads_back() {
        let now = Figures::of(&house(""));
        let page = now.page(&Figures::default(), "");
        let tables = page.split_once("\n\n|").expect("a table").1;
        expect![[r#"
             crate | files | lines | largest cycle | files before | lines before | largest cycle before |
            |---|---:|---:|---:|---:|---:|---:|
            | `a` | 1 | 4 | 0 | – | – | – |

            | figure | now | before |
            |---|---:|---:|
            | Python files that name `expm1` | 1 | – |
            | Rust files that name `Expm1` | 1 | – |
            | Rust tests | 2 | – |
            | Rust tests of lists, dicts, aliases, exceptions and recursion | 1 | – |
            | Sites in Rust that name `Expm1` | 1 | – |
            | lines of the longest file | 4 | – |
            | lines of the longest function | 3 | – |
            | lines of the median file | 4 | – |
            | lines of the median function | 3 | – |
        "#]]
        .assert_eq(tables);
        let both = now.page(&now, "");
        let (read, before) = Figures::read(&both);
        assert_eq!(read.page(&before, ""), both);
    }

    #[test]
    fn the_measured_part_stays() {
        let now = Figures::of(&house(""));
        let measured = "\n## Measured\n\n| figure | now | before |\n|---|---:|---:|\n| minutes of `make test` | 9 | 30 |\n";
        let old = now.page(&now, "") + measured;
        let (read, before) = Figures::read(&old);
        assert_eq!(read.page(&before, &old), old);
        assert_eq!(outdated(&house(&old)), Vec::<String>::new());
    }

    #[test]
    fn figures_a_tenth_off_are_outdated() {
        let page = Figures::of(&house("")).page(&Figures::default(), "");
        assert_eq!(outdated(&house(&page)), Vec::<String>::new());
        let page =
            page.replace("| 1 | 4 | 0 |", "| 1 | 400 | 0 |").replace("| Rust tests |", "| Rust exams |");
        expect![[r#"
            docs/design/figures.md: `a` has [1, 4, 0], not [1, 400, 0]
            docs/design/figures.md: Rust tests is missing
            docs/design/figures.md: Rust exams is not there any more
            docs/design/figures.md: run `cargo xtask figures`"#]]
        .assert_eq(&outdated(&house(&page)).join("\n"));
    }
}
