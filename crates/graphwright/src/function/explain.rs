//! Why a call needed a graph of its own: the first thing in which its trace type differs from another one, in words.

use crate::function::trace_type::{Frame, OwnType, Part};

/// Describes a difference between two trace types, and its remedy.
pub fn reason<O: OwnType>(before: &[Part<O>], now: &[Part<O>], names: &dyn Fn(usize) -> String) -> String {
    let mut walk = Walk { parts: now, at: 0, path: Vec::new() };
    let mut argument = 0;
    while walk.at < now.len() {
        walk.path = vec![names(argument)];
        if let Some(found) = walk.first_difference(before) {
            return found;
        }
        argument += 1;
    }
    if before.len() == now.len() {
        return format!("an argument is another object than before: {OBJECT}");
    }
    "the call has fewer arguments than before: give all of them".to_owned()
}

const OBJECT: &str =
    "pass the same object, give its class `__eq__` and `__hash__`, or pass what the function needs of it";

struct Walk<'a, O> {
    /// The trace type of the call.
    parts: &'a [Part<O>],
    at: usize,
    path: Vec<String>,
}

impl<O: OwnType> Walk<'_, O> {
    /// The first difference in the argument that begins here; goes to its end.
    fn first_difference(&mut self, before: &[Part<O>]) -> Option<String> {
        let parts = self.parts;
        let (at, now) = (self.at, &parts[self.at]);
        self.at += 1;
        let Some(old) = before.get(at).filter(|old| *old != now) else {
            if before.len() <= at {
                return Some(format!("`{}` is new", self.path.concat()));
            }
            return self.items(now).into_iter().find_map(|step| self.inside(step, before));
        };
        if let (Part::Structure(a, m), Part::Structure(b, n)) = (old, now)
            && (a == b && m != n)
        {
            let path = self.path.concat();
            return Some(format!(
                "`{path}` has {n} items, before {m}: give as many each time, or one tensor"
            ));
        }
        Some(self.differs(old, now))
    }

    fn inside(&mut self, step: String, before: &[Part<O>]) -> Option<String> {
        self.path.push(step);
        let found = self.first_difference(before);
        self.path.pop();
        found
    }

    /// The steps to the items that follow a part.
    fn items(&self, part: &Part<O>) -> Vec<String> {
        match part {
            Part::Structure(Frame::Mapping(_, keys, _), _) => {
                keys.iter().map(|k| format!("[{}]", word(k))).collect()
            }
            Part::Structure(Frame::Fields(_, names), _) => names.iter().map(|n| format!(".{n}")).collect(),
            Part::Structure(Frame::Tuple(_) | Frame::List, n) => (0..*n).map(|i| format!("[{i}]")).collect(),
            Part::Function(_, n) => (0..*n).map(|_| " (a value in its closure)".to_owned()).collect(),
            Part::Method => vec![String::new(), ".__self__".to_owned()],
            Part::Partial(n) => (0..=*n).map(|_| " (a part of it)".to_owned()).collect(),
            Part::Tensor(..)
            | Part::Bool(_)
            | Part::Number(_)
            | Part::Int(_)
            | Part::Float(_)
            | Part::Complex(_)
            | Part::Text(_)
            | Part::None
            | Part::Variable(..)
            | Part::Own(_)
            | Part::Object(_) => Vec::new(),
        }
    }

    fn differs(&self, old: &Part<O>, now: &Part<O>) -> String {
        let path = self.path.concat();
        if let (
            Part::Structure(Frame::Mapping(a, keys, _), _),
            Part::Structure(Frame::Mapping(b, others, _), _),
        ) = (old, now)
            && a == b
            && keys == others
        {
            return format!("`{path}` has its keys in another order than before: give them in one order");
        }
        let remedy = match (old, now) {
            (Part::Tensor(d, m), Part::Tensor(e, n)) if d == e && m.len() == n.len() => {
                "pass `reduce_retracing=True`, or an `input_signature` with `None` for that length"
            }
            (Part::Tensor(..), Part::Tensor(..)) => "cast or reshape it to one type before the call",
            (
                Part::Int(_) | Part::Float(_) | Part::Complex(_) | Part::Bool(_),
                Part::Int(_) | Part::Float(_) | Part::Complex(_) | Part::Bool(_),
            ) => {
                "pass it as a tensor, e.g. `gw.constant(…)`, if it may change, or make the function with \
                 `python_numbers=\"staged\"`"
            }
            (Part::Object(_), Part::Object(_)) => OBJECT,
            (Part::Function(..), Part::Function(..)) => "pass the same function",
            (_, _) => "give it one kind of value",
        };
        format!("`{path}` is {}, before {}: {remedy}", word(now), word(old))
    }
}

/// A part in the user's words.
pub fn word<O: OwnType>(part: &Part<O>) -> String {
    match part {
        Part::Tensor(dtype, lengths) => {
            let axes: Vec<_> =
                lengths.iter().map(|n| n.map_or("None".to_owned(), |n| n.to_string())).collect();
            let comma = if axes.len() == 1 { "," } else { "" };
            format!("{} of shape ({}{comma})", dtype.python_name(), axes.join(", "))
        }
        Part::Bool(true) => "True".to_owned(),
        Part::Bool(false) => "False".to_owned(),
        Part::Number(number) => format!("any `{}`", number.python_name()),
        Part::Int(i) => i.to_string(),
        Part::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Part::Complex(parts) => {
            let [re, im] = parts.map(f64::from_bits);
            format!("({re}{im:+}j)")
        }
        Part::Text(text) => format!("{text:?}"),
        Part::None => "None".to_owned(),
        Part::Structure(Frame::Tuple(_), n) => format!("a tuple of {n}"),
        Part::Structure(Frame::List, n) => format!("a list of {n}"),
        Part::Structure(Frame::Mapping(..), n) => format!("a mapping of {n}"),
        Part::Structure(Frame::Fields(..), n) => format!("an object of {n} fields"),
        Part::Function(..) => "another function".to_owned(),
        Part::Method => "a method".to_owned(),
        Part::Partial(_) => "a partial function".to_owned(),
        Part::Variable(dtype, lengths, number) => {
            format!("variable {number}, {}", word(&Part::<O>::Tensor(*dtype, lengths.clone())))
        }
        Part::Own(own) => own.to_string(),
        Part::Object(_) => "another object".to_owned(),
    }
}
