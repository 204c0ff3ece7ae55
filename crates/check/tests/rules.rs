//! The rules, one page each in `tests/rules/`: blocks marked `true` have exactly the findings that their comments
//! announce, blocks marked `false` have none.
//!
//! A line of a true block that ends with `#! GW202 …` has a finding of that code, and its message has the words behind
//! the code in it.

use gw_base::Source;
use gw_check::{Finding, Rule};

/// A block of a page.
struct Block {
    is_true: bool,
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (i, line) in page.lines().enumerate() {
        match (&mut open, line) {
            (None, "```py true") => open = Some(Block { is_true: true, line: i + 1, text: String::new() }),
            (None, "```py false") => open = Some(Block { is_true: false, line: i + 1, text: String::new() }),
            (Some(_), "```") => found.extend(open.take()),
            (Some(block), _) => block.text += &format!("{line}\n"),
            (None, _) => {}
        }
    }
    found
}

/// The announced findings: line, code, words.
fn announced(text: &str) -> Vec<(u32, String, String)> {
    let of = |(i, line): (usize, &str)| {
        let (_, said) = line.split_once("#! ")?;
        let (code, words) = said.split_once(' ').unwrap_or((said, ""));
        Some((i as u32 + 1, code.to_owned(), words.to_owned()))
    };
    text.lines().enumerate().filter_map(of).collect()
}

fn prelude(text: &str) -> String {
    if text.contains("graphwright") { text.to_owned() } else { format!("import graphwright as gw\n{text}") }
}

fn check_block(rule: Rule, block: &Block) -> Result<(), String> {
    let source = Source::new("block.py", prelude(&block.text));
    let found = gw_check::check(&source);
    let place = format!("{rule}.md:{}", block.line);
    let shown =
        |finding: &Finding| format!("{}: {} {}", finding.labels[0].at.line, finding.rule, finding.message);
    let listed: Vec<String> = found.iter().map(shown).collect();
    let expected = announced(&source.text);
    if block.is_true == expected.is_empty()
        || (block.is_true && !expected.iter().any(|(_, code, _)| *code == rule.code()))
    {
        return Err(format!("{place}: the block and what it announces differ"));
    }
    let fits = |(finding, (line, code, words)): (&Finding, &(u32, String, String))| {
        finding.labels[0].at.line == *line
            && finding.rule.code() == code
            && finding.message.contains(words.as_str())
    };
    if found.len() == expected.len() && found.iter().zip(&expected).all(fits) {
        return Ok(());
    }
    Err(format!("{place}: expected {expected:?}, found {listed:#?}"))
}

/// Checks the page of a rule: every block says what is found in it, and there are 20 of each kind.
#[track_caller]
fn check(code: &str) {
    let rule = *Rule::ALL.iter().find(|rule| rule.code() == code).expect("a rule of this code");
    let path = format!("{}/tests/rules/{code}.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let blocks = blocks(&page);
    let wrong: Vec<String> = blocks.iter().filter_map(|block| check_block(rule, block).err()).collect();
    assert!(wrong.is_empty(), "{} of {} blocks\n{}", wrong.len(), blocks.len(), wrong.join("\n"));
    for kind in [true, false] {
        let count = blocks.iter().filter(|block| block.is_true == kind).count();
        assert!(count >= 20, "{code}: {count} blocks are marked {kind}, 20 are asked for");
    }
}

/// One test per rule, and none is left out.
macro_rules! rules {
    ($($name:ident $code:literal)*) => {
        $(#[test] fn $name() { check($code) })*

        #[test]
        fn every_rule_has_its_page() {
            let listed = [$($code),*];
            let all: Vec<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
            assert_eq!(listed.as_slice(), all.as_slice());
        }
    };
}

rules! {
    syntax_not_read "GW003"
    unbound_name "GW105"
    leaked_tensor "GW111"
    unrolled_loop "GW118"
    host_function "GW126"
    wrong_shape "GW202"
    dtypes_differ "GW203"
    bad_argument "GW204"
    index_past_end "GW205"
    frozen_call "GW503"
    trace_per_value "GW505"
}
