//! `x[…]` read and stored.

use gw_syntax::{Constant, Expr, ExprId};
use gw_types::{Dim, Shape};

use super::Walk;
use crate::ops::{self, Misfit, Words};
use crate::rule::Rule;
use crate::value::{Tensor, UNKNOWN_LENGTH, Value};

/// One entry between the brackets.
enum Entry {
    /// A number of Python's.
    At(i64),
    /// A single integer that is not known.
    Given,
    /// `a:b`
    Slice { is_whole: bool },
    /// `None`
    NewAxis,
    /// `...`
    Ellipsis,
}

impl Walk<'_, '_> {
    pub(super) fn subscript(&mut self, base: ExprId, index: ExprId, at: ExprId) -> Value {
        let value = self.expr(base);
        let entries = self.entries(index);
        if let Value::Tensor(tensor) = &value {
            let words = self.words(base);
            let found = match entries {
                Some(entries) => taken(tensor, &entries, &words),
                None => Ok(Value::Tensor(tensor.shaped(None))),
            };
            return self.judged(found, at);
        }
        item_at(&value, entries.as_deref())
    }

    /// A store into a tensor; what is stored has to broadcast to what is replaced.
    pub(super) fn store(&mut self, base: ExprId, index: ExprId, stored: &Value, from: Option<ExprId>) {
        let value = self.expr(base);
        let entries = self.entries(index);
        let Value::Tensor(tensor) = &value else {
            if let Some(name) = super::name_of(&self.module().tree, base) {
                self.kept_outside(name, stored);
            }
            return;
        };
        if let Some(entries) = entries {
            let words =
                (self.words(base), from.map_or_else(|| "the value".to_owned(), |from| self.words(from)));
            let found =
                taken(tensor, &entries, &words.0).and_then(|place| ops::stored(&place, stored, words));
            self.judged(found, base);
        }
        if let (Some(name), Some(dtype)) = (super::name_of(&self.module().tree, base), tensor.dtype) {
            let keeps = stored.tensor().is_some_and(|stored| stored.dtype == Some(dtype));
            let dtype = Some(dtype).filter(|_| keeps);
            let name = name.clone();
            self.bind_name(&name, Value::Tensor(Tensor { dtype, shape: tensor.shape.clone() }));
        }
    }

    /// The entries between the brackets; nothing where one of them is a tensor with axes, a mask or not known.
    fn entries(&mut self, index: ExprId) -> Option<Vec<Entry>> {
        let is_tuple =
            if let Expr::Tuple(items) = &self.module().tree[index] { Some(items.clone()) } else { None };
        let all = is_tuple.unwrap_or_else(|| vec![index]);
        let entries: Vec<Option<Entry>> = all.iter().map(|&item| self.entry(item)).collect();
        entries.into_iter().collect()
    }

    fn entry(&mut self, item: ExprId) -> Option<Entry> {
        if let Expr::Slice { lower, upper, step } = &self.module().tree[item] {
            let parts = [*lower, *upper, *step];
            let values: Vec<Value> = parts.iter().flatten().map(|&part| self.expr(part)).collect();
            let is_whole = values.iter().all(|value| *value == Value::None);
            return Some(Entry::Slice { is_whole });
        }
        if let Expr::Constant(Constant::Ellipsis) = &self.module().tree[item] {
            return Some(Entry::Ellipsis);
        }
        let value = self.expr(item);
        if value == Value::None {
            return Some(Entry::NewAxis);
        }
        if let Value::Int(known) = value {
            return Some(known.map_or(Entry::Given, Entry::At));
        }
        let is_number =
            |tensor: &&Tensor| tensor.rank() == Some(0) && tensor.dtype.is_some_and(gw_types::DType::is_int);
        value.tensor().filter(is_number).map(|_| Entry::Given)
    }
}

/// `value[n]` of a tuple.
fn item_at(value: &Value, entries: Option<&[Entry]>) -> Value {
    let (Some(items), Some([Entry::At(n)])) = (value.items(), entries) else { return Value::Unknown };
    let place = if *n < 0 { n + items.len() as i64 } else { *n };
    usize::try_from(place).ok().and_then(|place| items.get(place)).cloned().unwrap_or_default()
}

/// `x[…]` of a tensor.
fn taken(tensor: &Tensor, entries: &[Entry], words: &str) -> Result<Value, Misfit> {
    let Some(shape) = &tensor.shape else { return Ok(Value::Tensor(tensor.shaped(None))) };
    let entries = spelled_out(entries, shape, words)?;
    let mut dims = Vec::new();
    let mut axis = 0;
    for entry in entries {
        match entry {
            Entry::At(n) => {
                in_range(shape, axis, *n, words)?;
                axis += 1;
            }
            Entry::Given => axis += 1,
            Entry::Slice { is_whole } => {
                dims.push(if *is_whole { shape.0[axis] } else { UNKNOWN_LENGTH });
                axis += 1;
            }
            Entry::NewAxis => dims.push(Dim::Fixed(1)),
            Entry::Ellipsis => {}
        }
    }
    Ok(Value::Tensor(tensor.shaped(Some(Shape(dims)))))
}

/// The entries with as many `:` for `...`, or at the end, as there are axes left.
fn spelled_out<'e>(entries: &'e [Entry], shape: &Shape, words: &str) -> Result<Vec<&'e Entry>, Misfit> {
    const WHOLE: &Entry = &Entry::Slice { is_whole: true };
    let used = entries.iter().filter(|entry| !matches!(entry, Entry::NewAxis | Entry::Ellipsis)).count();
    let Some(left) = shape.rank().checked_sub(used) else {
        let message = format!("{used} indices for {words}, which has {}", Words::axes(shape.rank()));
        return Err(Misfit::new(
            Rule::IndexPastEnd,
            message,
            "leave out the indices of axes that are not there",
        ));
    };
    if entries.iter().filter(|entry| matches!(entry, Entry::Ellipsis)).count() > 1 {
        let message = "`...` stands more than once between the brackets";
        return Err(Misfit::new(Rule::BadArgument, message, "write `:` for the other axes"));
    }
    let at = entries.iter().position(|entry| matches!(entry, Entry::Ellipsis)).unwrap_or(entries.len());
    let (head, tail) = entries.split_at(at);
    Ok(head.iter().chain(std::iter::repeat_n(WHOLE, left)).chain(tail).collect())
}

fn in_range(shape: &Shape, axis: usize, n: i64, words: &str) -> Result<(), Misfit> {
    match shape.0[axis] {
        Dim::Fixed(length) if n >= length as i64 || n < -(length as i64) => {
            let message =
                format!("index {n} is out of bounds for axis {axis} of {words}, which has length {length}");
            let help = if length == 0 {
                "an axis of length 0 has no index".to_owned()
            } else {
                format!("its indices are 0 to {}, and -1 to -{length} from the end", length - 1)
            };
            Err(Misfit::new(Rule::IndexPastEnd, message, help))
        }
        Dim::Fixed(_) | Dim::Var(_) => Ok(()),
    }
}
