//! Laws about words: what may be written only in some rooms, or nowhere.

use crate::house::{House, RustFile, Word};

/// Enums to which rows are added: the compiler lists what is left to write when no arm catches all.
/// (A pass over trees that rewrites one construct and leaves the others as they are may say so with one arm.)
const OPEN_ENUMS: &[&str] =
    &["Op", "Class", "Code", "Raises", "DType", "UnaryOp", "BinaryOp", "CompareOp", "ReduceOp"];

/// The groups of the op table.
const GROUPS: &[&str] =
    &["Op", "UnaryOp", "TestOp", "BinaryOp", "CompareOp", "StringOp", "ReduceOp", "ArgOp", "MatrixOp"];

/// Rooms that know operators of the program, and no ops of the graph.
const WITHOUT_GRAPH: &[&str] = &["crates/syntax/", "crates/analysis/", "crates/lower/", "crates/check/"];

/// Rooms in which `unsafe` is at home, and the reasons.
const UNSAFE_ROOMS: &[(&str, &str)] = &[
    ("crates/kernels/", "SIMD loads and stores, and instruction sets chosen at run time"),
    ("crates/runtime/", "buffers that foreign code fills"),
    ("crates/cpu/src/jit", "calls into code made at run time"),
    ("crates/py/src/allocator.rs", "memory by its address"),
    ("crates/py/src/calls/by_python.rs", "the pointer through which the interpreter calls a function"),
    ("crates/py/src/calls/by_vector.rs", "the pointer through which the interpreter calls our functions"),
    ("crates/py/src/api/custom_op.rs", "a C function whose address the program gives"),
    ("crates/py/src/api/interchange.rs", "memory that is shared with other libraries"),
    (
        "crates/py/src/dependencies/guards/function_parts.rs",
        "the code of a function, which has no safe binding",
    ),
    ("crates/py/src/host/lent.rs", "arrays of the caller's, in which a graph reads and stores"),
];

/// Every `match` over ops, element types or diagnostics names each row.
pub fn no_wildcard_over_ops(house: &House) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in house.rust.iter() {
        for wildcard in &file.wildcards {
            if let Some(name) = wildcard.over.iter().find(|name| OPEN_ENUMS.contains(&name.as_str())) {
                complaints.push(format!("{}:{}: a catch-all arm over `{name}`", file.path, wildcard.line));
            }
        }
    }
    let lint = ["workspace", "lints", "clippy", "wildcard_enum_match_arm"];
    let value = lint.iter().skip(1).try_fold(house.workspace.get(lint[0]), |at, key| Some(at?.get(key)));
    if value.flatten().is_none() {
        complaints.push("Cargo.toml: clippy's `wildcard_enum_match_arm` is not on".to_owned());
    }
    complaints
}

/// No `matches!` outside of `ir` lists several ops: a new row would be missed there without a word of the compiler.
pub fn ir_alone_lists_ops(house: &House) -> Vec<String> {
    let mut complaints = Vec::new();
    let asks = |file: &&RustFile| {
        let is_in = |room: &&str| file.path.starts_with(*room);
        let is_elsewhere = WITHOUT_GRAPH.iter().chain(&["crates/ir/"]).any(is_in);
        is_in(&"crates/") && !is_elsewhere
    };
    for file in house.rust.iter().filter(asks) {
        for at in 0..file.live.len().saturating_sub(2) {
            let [name, mark, open] = [0, 1, 2].map(|next| file.live[at + next].text.as_str());
            if (name, mark, open) == ("matches", "!", "(") && ops_within(&file.live[at + 2..]) > 1 {
                let line = file.live[at].line;
                complaints.push(format!("{}:{line}: `matches!` over several ops", file.path));
            }
        }
    }
    complaints
}

/// The number of ops that words name up to the bracket that closes the first of them.
fn ops_within(words: &[Word]) -> usize {
    let mut depth = 0;
    let inside = words.iter().take_while(|word| {
        depth += i32::from(word.text == "(") - i32::from(word.text == ")");
        depth > 0
    });
    let inside: Vec<&str> = inside.map(|word| word.text.as_str()).collect();
    let names = |four: &&[&str]| GROUPS.contains(&four[0]) && four[1] == "::" && four[3] != "(";
    inside.windows(4).filter(names).count() + usize::from(ends_with_op(&inside))
}

/// True if the last words name an op.
fn ends_with_op(words: &[&str]) -> bool {
    matches!(words, [.., group, "::", _] if GROUPS.contains(group))
}

/// `unsafe` code is written in the rooms of `UNSAFE_ROOMS` alone.
pub fn unsafe_keeps_to_its_rooms(house: &House) -> Vec<String> {
    let at_home = |file: &RustFile| UNSAFE_ROOMS.iter().any(|(room, _)| file.path.starts_with(room));
    let strangers = house.rust.iter().filter(|file| !at_home(file));
    strangers
        .flat_map(|file| unsafe_lines(file).map(|line| format!("{}:{line}: `unsafe`", file.path)))
        .collect()
}

/// Each `unsafe` block or impl is under a comment that says why it is sound.
pub fn unsafe_says_why_it_is_safe(house: &House) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in &house.rust {
        let lines: Vec<&str> = file.text.lines().collect();
        for line in unsafe_lines(file).filter(|line| !says_why(&lines, *line)) {
            complaints.push(format!("{}:{line}: `unsafe` without `// SAFETY:`", file.path));
        }
    }
    complaints
}

/// Lines where an `unsafe` block, function with a body or impl begins.
fn unsafe_lines(file: &RustFile) -> impl Iterator<Item = usize> {
    file.words.windows(2).filter_map(|pair| {
        let begins = pair[0].text == "unsafe" && ["{", "impl", "fn"].contains(&pair[1].text.as_str());
        begins.then_some(pair[0].line)
    })
}

/// Does a comment say `SAFETY:` (or a doc comment `# Safety`) on this line, or above it within the same statement?
fn says_why(lines: &[&str], line: usize) -> bool {
    let said = |text: &str| text.contains("SAFETY:") || text.contains("# Safety");
    let above = lines[..line - 1].iter().rev().take_while(|text| {
        let text = text.trim();
        text.starts_with("//") || !(text.is_empty() || text.ends_with(';') || text == "}")
    });
    said(lines[line - 1]) || above.take(12).any(|text| said(text))
}

/// Only the tasks of the house speak on the terminal; the library returns what it has to say.
pub fn doors_alone_print(house: &House) -> Vec<String> {
    const SPEAKS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];
    let quiet = house
        .rust
        .iter()
        .filter(|file| !file.path.starts_with("xtask/") && !file.path.ends_with("/build.rs"));
    let find = |words: &[Word]| SPEAKS.contains(&words[0].text.as_str()) && words[1].text == "!";
    quiet.flat_map(|file| places(file, 2, find)).collect()
}

/// Knobs are read once, in `graphwright::config`; what cargo tells a build is none.
pub fn config_alone_reads_the_environment(house: &House) -> Vec<String> {
    const READS: &[&str] = &["var", "vars", "var_os", "vars_os"];
    let others = house.rust.iter().filter(|file| {
        let is_told = file.path.starts_with("xtask/") || file.path.ends_with("/build.rs");
        !file.path.starts_with("crates/graphwright/src/config") && !is_told
    });
    let find = |words: &[Word]| {
        words[0].text == "env" && words[1].text == "::" && READS.contains(&words[2].text.as_str())
    };
    let mut complaints: Vec<String> = others.flat_map(|file| places(file, 3, find)).collect();
    for file in house.python.iter().filter(|file| file.path.starts_with("python/")) {
        for (index, line) in file.text.lines().enumerate() {
            if line.contains("os.environ") || line.contains("os.getenv") {
                complaints.push(format!("{}:{}: reads the environment", file.path, index + 1));
            }
        }
    }
    complaints
}

/// Threads belong to `runtime`.
pub fn runtime_alone_spawns(house: &House) -> Vec<String> {
    const SPAWNS: &[&str] = &["spawn", "scope", "Builder"];
    let others = house.rust.iter().filter(|file| !file.path.starts_with("crates/runtime/"));
    let find = |words: &[Word]| {
        words[0].text == "thread" && words[1].text == "::" && SPAWNS.contains(&words[2].text.as_str())
    };
    others.flat_map(|file| places(file, 3, find)).collect()
}

/// A kernel is given all the memory it writes to.
pub fn kernels_never_allocate(house: &House) -> Vec<String> {
    const ALLOCATES: &[&str] =
        &["Vec", "vec", "Box", "String", "format", "to_vec", "to_owned", "collect", "Arc", "Rc"];
    let find = |words: &[Word]| ALLOCATES.contains(&words[0].text.as_str());
    house.rust_in("crates/kernels/src/").flat_map(|file| places(file, 1, find)).collect()
}

/// `analysis` returns tables beside the tree and leaves the tree as it is.
pub fn analysis_never_edits(house: &House) -> Vec<String> {
    let find =
        |words: &[Word]| words[0].text.ends_with('&') && words[1].text == "mut" && words[2].text == "Tree";
    house.rust_in("crates/analysis/src/").flat_map(|file| places(file, 3, find)).collect()
}

/// The places outside tests where `find` holds of `width` words.
fn places(file: &RustFile, width: usize, find: impl Fn(&[Word]) -> bool) -> Vec<String> {
    let found = file.live.windows(width).filter(|words| find(words));
    found
        .map(|words| {
            let text: String = words.iter().map(|word| word.text.as_str()).collect();
            format!("{}:{}: `{text}`", file.path, words[0].line)
        })
        .collect()
}
