//! The pages in `docs/ops`, read and run: what each op takes, gives and refuses, shown and proved in one place.
//!
//! `docs/ops/README.md` describes the form. A page is run on any way of running a graph; the interpreter is one.

use std::collections::HashMap;

use gw_eval::{Array, EvalError, Failure, Outcome};
use gw_ir::text::{parse, parse_call, print_literal};
use gw_ir::{Attr, Builder, Class, Graph, Unfit};
use gw_types::Scalar;

/// One page.
#[derive(Debug)]
pub struct Page {
    /// Its title: the op's name.
    pub name: String,
    /// The numbers of its clauses, in order.
    pub clauses: Vec<usize>,
    /// Tolerance of a backend's floats against the interpreter's, in units of the last place.
    pub ulps: u64,
    /// The lines of its `graph` blocks.
    pub examples: Vec<Example>,
}

/// One line that runs.
#[derive(Debug)]
pub struct Example {
    /// The line of the page, from 1.
    pub line: usize,
    /// The graph, or why it is none.
    pub graph: Result<Graph, Unfit>,
    /// Inputs.
    pub inputs: Vec<Array>,
    /// Expected outcome.
    pub expected: Expected,
}

/// Outcome that an example must come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// `#= [1, 2]; 3`: these results.
    Results(Vec<String>),
    /// `#> "3\n"`: this printed text.
    Prints(String),
    /// `#! add.c1`: refused by this clause.
    Refused(String),
    /// `#! IndexError`: fails as this exception when it runs.
    Raises(String),
}

/// A way of running a graph.
pub type Way<'a> = &'a dyn Fn(&Graph, &[Array]) -> Result<Outcome, EvalError>;

/// Reads a page.
///
/// # Errors
/// The line that cannot be read, and why.
pub fn read(text: &str) -> Result<Page, String> {
    let name =
        text.lines().next().and_then(|line| line.strip_prefix("# ")).ok_or("a page begins with `# name`")?;
    let mut page = Page { name: name.to_owned(), clauses: Vec::new(), ulps: 0, examples: Vec::new() };
    let mut functions: HashMap<String, Graph> = HashMap::new();
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line)).peekable();
    let mut inside = false;
    while let Some((at, line)) = lines.next() {
        if let Some(fence) = line.strip_prefix("```") {
            inside = fence == "graph";
        } else if !inside {
            page.clauses.extend(clause(line));
            page.ulps = ulps(line).unwrap_or(page.ulps);
        } else if line.starts_with("func") {
            let mut body = vec![line];
            body.extend(take_to_end(lines.by_ref().map(|(_, line)| line)));
            // The functions that it calls follow at once.
            while lines.peek().is_some_and(|(_, line)| line.starts_with("func")) {
                body.extend(take_to_end(lines.by_ref().map(|(_, line)| line)));
            }
            let graph = parse(&body.join("\n")).map_err(|error| format!("line {at}, {error}"))?;
            functions.insert(graph.name.clone(), graph);
        } else if !line.trim().is_empty() {
            page.examples.push(example(at, line, &functions).map_err(|error| format!("line {at}: {error}"))?);
        }
    }
    Ok(page)
}

/// Runs every example; all that is wrong, one line each.
pub fn check(page: &Page, way: Way) -> Vec<String> {
    let wrong = |example: &Example| {
        let found = judge(example, way, page.ulps).err()?;
        Some(format!("{}.md:{}: {found}", page.name, example.line))
    };
    page.examples.iter().filter_map(wrong).collect()
}

/// `- (c1) …`
fn clause(line: &str) -> Option<usize> {
    line.strip_prefix("- (c")?.split_once(')')?.0.parse().ok()
}

/// `**Error** ≤ 2 ulp`
fn ulps(line: &str) -> Option<u64> {
    line.strip_prefix("**Error** ≤ ")?.split_once(" ulp")?.0.parse().ok()
}

/// Lines up to `}` at the margin, with it.
fn take_to_end<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut taken = Vec::new();
    for line in lines {
        taken.push(line);
        if line == "}" {
            break;
        }
    }
    taken
}

fn example(line: usize, text: &str, functions: &HashMap<String, Graph>) -> Result<Example, String> {
    let (call, expected) = split(text).ok_or("a line ends with `#=`, `#>` or `#!`")?;
    if let Some(rest) = call.strip_prefix('@') {
        let (name, literals) = rest.split_once(' ').unwrap_or((rest, ""));
        let graph = functions.get(name.trim()).ok_or_else(|| format!("`@{name}` is not defined above"))?;
        let inputs = if literals.trim().is_empty() {
            Vec::new()
        } else {
            operands(&format!("print {literals} text=\"\" to=stdout"))?
        };
        return Ok(Example { line, graph: Ok(graph.clone()), inputs, expected });
    }
    let (op, attr, literals) = parse_call(call).map_err(|error| error.message)?;
    let inputs: Vec<Array> = literals.iter().map(Array::from).collect();
    let mut b = Builder::new("example");
    let params: Vec<_> = literals.iter().map(|literal| b.param(literal.tensor_type())).collect();
    let results = match (op.class(), attr) {
        (_, Attr::Host(call)) => b.host_call(call, &params),
        (Class::Effect, attr) => b.effect(op, attr, &params).map(|()| Vec::new()),
        (_, attr) => b.op(op, attr, &params).map(|result| vec![result]),
    };
    Ok(Example { line, graph: results.map(|results| b.finish(results)), inputs, expected })
}

fn operands(call: &str) -> Result<Vec<Array>, String> {
    let (_, _, literals) = parse_call(call).map_err(|error| error.message)?;
    Ok(literals.iter().map(Array::from).collect())
}

fn split(text: &str) -> Option<(&str, Expected)> {
    let at = ["#=", "#>", "#!"].iter().filter_map(|mark| text.rfind(mark)).max()?;
    let (call, rest) = text.split_at(at);
    let value = rest[2..].trim();
    let expected = match &rest[..2] {
        "#=" if value.is_empty() => Expected::Results(Vec::new()),
        "#=" => Expected::Results(value.split("; ").map(str::to_owned).collect()),
        "#>" => Expected::Prints(value.trim_matches('"').replace("\\n", "\n")),
        _ if value.contains('.') => Expected::Refused(value.to_owned()),
        _ => Expected::Raises(value.to_owned()),
    };
    Some((call.trim(), expected))
}

fn judge(example: &Example, way: Way, ulps: u64) -> Result<(), String> {
    let graph = match (&example.graph, &example.expected) {
        (Err(unfit), Expected::Refused(clause)) if unfit.clause == clause => return Ok(()),
        (Err(unfit), _) => return Err(format!("is refused by {}: {}", unfit.clause, unfit.message)),
        (Ok(_), Expected::Refused(clause)) => return Err(format!("is not refused by {clause}")),
        (Ok(graph), _) => graph,
    };
    match (way(graph, &example.inputs), &example.expected) {
        (Err(error), Expected::Raises(name)) if python_name(error.kind) == name => Ok(()),
        (Err(error), _) => Err(format!("fails: {error}")),
        (Ok(outcome), Expected::Prints(text)) => {
            let printed: String = outcome.printed.into_iter().map(|(_, text)| text).collect();
            if printed == *text { Ok(()) } else { Err(format!("prints {printed:?}")) }
        }
        (Ok(outcome), Expected::Results(texts)) => {
            let pairs = outcome.results.iter().zip(texts);
            let same = outcome.results.len() == texts.len()
                && pairs.into_iter().all(|(x, text)| agrees(x, text, ulps));
            let found = outcome.results.iter().map(|array| print_literal(&array.to_literal()));
            if same { Ok(()) } else { Err(format!("gives {}", found.collect::<Vec<_>>().join("; "))) }
        }
        (Ok(_), expected) => Err(format!("runs, but {expected:?} is wanted")),
    }
}

/// True if an array is what the text says; the text may say the dtype.
fn agrees(found: &Array, text: &str, ulps: u64) -> bool {
    let typed = if text.contains(':') { text.to_owned() } else { format!("{text}:{}", found.dtype) };
    let Ok((_, gw_ir::Attr::Literal(wanted), _)) = parse_call(&format!("const {typed}")) else {
        return false;
    };
    let wanted = Array::from(&wanted);
    let pairs = found.elements.iter().zip(&wanted.elements);
    found.dtype == wanted.dtype
        && found.lengths == wanted.lengths
        && pairs.into_iter().all(|(&x, &y)| close(found.dtype, x, y, ulps))
}

/// True if two elements are at most as many units in the last place apart; NaNs are the same.
pub fn close(dtype: gw_types::DType, x: Scalar, y: Scalar, ulps: u64) -> bool {
    if let (Scalar::Complex(..), Scalar::Complex(..)) = (x, y) {
        let [x, y] = [x, y].map(|z| z.parts().map(Scalar::Float));
        return (0..2).all(|part| close(dtype.part(), x[part], y[part], ulps));
    }
    let (Scalar::Float(x), Scalar::Float(y)) = (x, y) else { return x == y };
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    let place = |x: f64| match dtype == gw_types::DType::F32 {
        true => ordered(i64::from((x as f32).to_bits() as i32), i64::from(i32::MIN)),
        false => ordered(x.to_bits() as i64, i64::MIN),
    };
    place(x).abs_diff(place(y)) <= ulps
}

/// The bits of a float as a number that counts floats; both zeros are 0.
fn ordered(bits: i64, sign: i64) -> i64 {
    if bits < 0 { sign.wrapping_sub(bits) } else { bits }
}

/// The exception as which a failure is raised.
fn python_name(failure: Failure) -> &'static str {
    match failure {
        Failure::ZeroDivision => "ZeroDivisionError",
        Failure::IndexOutOfRange => "IndexError",
        Failure::ShapeMismatch | Failure::Value => "ValueError",
        Failure::UnboundLocal => "UnboundLocalError",
        Failure::Assertion => "AssertionError",
        Failure::Overflow => "OverflowError",
        Failure::Type => "TypeError",
        Failure::Recursion => "RecursionError",
        Failure::Key => "KeyError",
        Failure::Runtime => "RuntimeError",
        Failure::Argument => "InvalidArgumentError",
        Failure::Name => "NameError",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# add\n\n- (c1) alike\n\n**Error** ≤ 2 ulp\n\n```graph\nadd 1:i32, 2:i32   #= 4\n\
        add 1:i32, 2.0:f32 #! add.c1\n```\n";

    #[test]
    fn a_wrong_line_is_found() {
        let page = read(PAGE).expect("a page");
        assert_eq!((page.clauses.as_slice(), page.ulps), ([1].as_slice(), 2));
        assert_eq!(check(&page, &crate::host::run), ["add.md:8: gives 3"]);
    }

    #[test]
    fn floats_are_counted() {
        let f32_ = gw_types::DType::F32;
        let next = f64::from(1f32.next_up());
        assert!(close(f32_, Scalar::Float(1.0), Scalar::Float(next), 1));
        assert!(!close(f32_, Scalar::Float(1.0), Scalar::Float(next), 0));
        assert!(close(f32_, Scalar::Float(0.0), Scalar::Float(-0.0), 0));
        assert!(close(f32_, Scalar::Float(1e-45), Scalar::Float(-1e-45), 2));
    }
}
