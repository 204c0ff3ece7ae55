//! Python's own functions and methods, as far as their results matter.

use std::sync::Arc;

use gw_types::Dim;

use crate::args::Args;
use crate::value::Value;

/// The value of a call of a built-in function.
pub fn call(name: &str, args: &Args) -> Value {
    if args.is_open {
        return Value::Unknown;
    }
    let first = args.positional.first().map(|(value, _)| value);
    match (name, first) {
        ("len", Some(value)) => length(value),
        ("range", Some(_)) => Value::Range(turns(args)),
        ("float", Some(value)) if value.number().is_some() => Value::Float,
        ("int", Some(value @ (Value::Int(_) | Value::Float))) => Value::Int(value.integer()),
        ("tuple", Some(Value::Tuple(items) | Value::List(items))) => Value::Tuple(items.clone()),
        ("print", _) => Value::None,
        _ => Value::Unknown,
    }
}

/// The value of a method of a value that is no tensor.
pub fn method(_base: &Value, _name: &str) -> Value {
    Value::Unknown
}

/// True if a built-in makes an iterator over its arguments.
pub fn makes_iterator(name: &str) -> bool {
    matches!(name, "iter" | "map" | "zip" | "enumerate" | "filter" | "reversed")
}

/// True if a built-in takes all items of an iterator.
pub fn takes_items(name: &str) -> bool {
    matches!(name, "list" | "tuple" | "sum" | "max" | "min" | "sorted" | "any" | "all")
}

/// True if what has this name is known to end the program or the function: `sys.exit`, `self.fail`.
pub fn ends(name: &str) -> bool {
    matches!(
        name,
        "exit" | "_exit" | "quit" | "abort" | "fail" | "skip" | "error" | "die" | "raise_" | "throw"
    )
}

fn length(value: &Value) -> Value {
    if let Some(items) = value.items() {
        return Value::Int(i64::try_from(items.len()).ok());
    }
    if let Value::Range(turns) = value {
        return Value::Int(turns.and_then(|n| i64::try_from(n).ok()));
    }
    let first = value.tensor().and_then(|tensor| tensor.shape.as_ref()?.0.first().copied());
    if let Some(Dim::Fixed(n)) = first { Value::Int(i64::try_from(n).ok()) } else { Value::Unknown }
}

/// The number of numbers a `range` of known bounds has.
fn turns(args: &Args) -> Option<u64> {
    let known: Option<Vec<i64>> = args.positional.iter().map(|(value, _)| value.integer()).collect();
    let (start, stop, step) = match known?[..] {
        [stop] => (0, stop, 1),
        [start, stop] => (start, stop, 1),
        [start, stop, step] if step != 0 => (start, stop, step),
        _ => return None,
    };
    let distance =
        if step > 0 { i128::from(stop) - i128::from(start) } else { i128::from(start) - i128::from(stop) };
    let step = i128::from(step).abs();
    u64::try_from((distance + step - 1).max(0) / step).ok()
}

/// An item of a tuple by its number.
pub fn integers(value: &Value) -> Option<Vec<Option<i64>>> {
    let items: &Arc<[Value]> = value.items()?;
    Some(items.iter().map(Value::integer).collect())
}
