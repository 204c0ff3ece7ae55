//! Matching of a subject against a pattern, exactly as Python's own `match` decides it; comparisons of tensors decide it in
//! the graph.
//!
//! The structure of the subject is known while tracing. After a comparison in the graph the rest of the pattern
//! is tried as if it held, and the subject fits if all such comparisons do.

use std::sync::Arc;

use gw_base::Code;
use gw_trace::Staged;
use gw_types::{DType, Kind};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyAttributeError, PySystemError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PySet, PyString, PyTuple, PyType};

use crate::containers::lists;
use crate::containers::tables::entries;
use crate::exceptions::errors;
use crate::host::checks::{staged_test, staged_value};
use crate::operators::logic::{choose, not};
use crate::operators::object::Operators;
use crate::optional::maybe::Maybe;
use crate::optional::maybe_structure::MaybeStructure;
use crate::optional::{self, number_types, poison};
use crate::session::Tracing;

#[pymethods]
impl Operators {
    /// True if `subject` fits `pattern`, and what is captured in each of `count` slots.
    fn match_case<'py>(
        &self,
        subject: &Bound<'py, PyAny>,
        count: usize,
        pattern: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let py = subject.py();
        let mut found = Found { captures: vec![None; count], test: None };
        let fits = found.fits(subject, pattern)?;
        let test = match found.test {
            Some(test) if fits => test,
            Some(_) | None => PyBool::new(py, fits).to_owned().into_any(),
        };
        let captures = found.captures.into_iter().map(|c| c.unwrap_or_else(|| py.None().into_bound(py)));
        PyTuple::new(py, std::iter::once(test).chain(captures).collect::<Vec<_>>())
    }
}

/// Outcome for a subject that may fit.
struct Found<'py> {
    /// Value that each slot captures.
    captures: Vec<Option<Bound<'py, PyAny>>>,
    /// A bool of the graph that must hold too.
    test: Option<Bound<'py, PyAny>>,
}

impl<'py> Found<'py> {
    /// True if the subject may fit: it does if `test` holds.
    fn fits(&mut self, subject: &Bound<'py, PyAny>, pattern: &Bound<'py, PyAny>) -> PyResult<bool> {
        if pattern.is_none() {
            return Ok(true);
        }
        let Ok(pattern) = pattern.cast::<PyTuple>() else {
            self.captures[pattern.extract::<usize>()?] = Some(subject.clone());
            return Ok(true);
        };
        poison::refuse(subject)?;
        let parts: Vec<_> = pattern.iter().collect();
        let kind: String = parts[0].extract()?;
        if matches!(kind.as_str(), "sequence" | "mapping" | "class")
            && subject.is_instance_of::<MaybeStructure>()
        {
            return Err(MaybeStructure::refused(subject.py(), "a pattern is tried on"));
        }
        match (kind.as_str(), &parts[1..]) {
            ("value", [value]) => self.holds(&subject.rich_compare(value.call0()?, CompareOp::Eq)?),
            ("is", [constant]) => self.is(subject, constant),
            ("as", [inner, slot]) => Ok(self.fits(subject, inner)? && self.fits(subject, slot)?),
            ("or", alternatives) => self.any(subject, alternatives),
            ("sequence", items) => self.sequence(subject, items),
            ("mapping", [rest, items @ ..]) => self.mapping(subject, rest, items),
            ("class", [class, args, keywords]) => self.class(subject, &class.call0()?, args, keywords),
            (other, _) => Err(PySystemError::new_err(format!("`{other}` is no pattern"))),
        }
    }

    /// Python's truth of an answer; a tensor's is added to the test.
    fn holds(&mut self, answer: &Bound<'py, PyAny>) -> PyResult<bool> {
        if staged_test(answer)?.is_none() {
            return answer.is_truthy();
        }
        self.test = Some(match self.test.take() {
            None => truth(answer)?,
            Some(test) => test.bitand(truth(answer)?)?,
        });
        Ok(true)
    }

    /// `None`, `True` and `False` are compared by identity; a bool of the graph stands for one of the two.
    fn is(&mut self, subject: &Bound<'py, PyAny>, constant: &Bound<'py, PyAny>) -> PyResult<bool> {
        if !constant.is_instance_of::<PyBool>() || staged_kind(subject)? != Some(Kind::Bool) {
            if !constant.is_none() || Maybe::optional(subject).is_none() {
                let known = number_types::known_is(subject, constant);
                return Ok(known.unwrap_or_else(|| subject.is(constant)));
            }
            return self.holds(&optional::is_none(subject)?);
        }
        if number_types::may_be_numpys(subject) {
            return Err(number_types::which_bool(subject.py(), "`case True`"));
        }
        let answer = if constant.is_truthy()? { subject.clone() } else { not(subject)? };
        self.holds(&answer)
    }

    /// The first alternative that fits; those after one that the graph decides are tried too.
    fn any(&mut self, subject: &Bound<'py, PyAny>, alternatives: &[Bound<'py, PyAny>]) -> PyResult<bool> {
        let mut tried: Vec<Found<'py>> = Vec::new();
        for alternative in alternatives {
            let mut one = Found { captures: vec![None; self.captures.len()], test: None };
            if one.fits(subject, alternative)? {
                let surely = one.test.is_none();
                tried.push(one);
                if surely {
                    break;
                }
            }
        }
        let Some(mut chosen) = tried.pop() else { return Ok(false) };
        while let Some(earlier) = tried.pop() {
            chosen = earlier.or(chosen)?;
        }
        for (slot, captured) in self.captures.iter_mut().zip(chosen.captures) {
            *slot = captured.or(slot.take());
        }
        chosen.test.map_or(Ok(true), |test| self.holds(&test))
    }

    /// Captures if this alternative is tried before `later`.
    fn or(self, later: Self) -> PyResult<Self> {
        let Some(test) = self.test else { return Ok(self) };
        let either = |(a, b): (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>)| match (a, b) {
            (Some(a), Some(b)) if !a.is(&b) => choice(&test, &a, &b).map(Some),
            (a, b) => Ok(a.or(b)),
        };
        let captures = self.captures.into_iter().zip(later.captures).map(either).collect::<PyResult<_>>()?;
        let test = later.test.map(|later| test.bitor(later)).transpose()?;
        Ok(Self { captures, test })
    }

    /// Of what has the flag of sequences (strings and arrays have not), by its length and its items.
    fn sequence(&mut self, subject: &Bound<'py, PyAny>, items: &[Bound<'py, PyAny>]) -> PyResult<bool> {
        if !has_flag(subject.get_type().as_any(), SEQUENCE)? {
            return Ok(false);
        }
        let subject = &lists::each(subject)?;
        let mut star = None;
        for (at, item) in items.iter().enumerate() {
            star = star.or(star_of(item)?.map(|slot| (at, slot)));
        }
        let Some((at, slot)) = star else {
            return Ok(subject.len()? == items.len() && self.unpacked(subject, items)?);
        };
        if items.len() > 1 && subject.len()? < items.len() - 1 {
            return Ok(false);
        }
        let (before, after) = (&items[..at], &items[at + 1..]);
        if slot.is_none() {
            self.picked(subject, before, after)
        } else {
            self.spread(subject, before, &slot, after)
        }
    }

    /// Without a star: all items at once, as in an assignment. None is looked at if no pattern asks.
    fn unpacked(&mut self, subject: &Bound<'py, PyAny>, items: &[Bound<'py, PyAny>]) -> PyResult<bool> {
        if items.iter().all(|item| item.is_none()) {
            return Ok(true);
        }
        let values: Vec<_> = subject.try_iter()?.take(items.len() + 1).collect::<PyResult<_>>()?;
        if values.len() != items.len() {
            let (few, many) = (values.len() < items.len(), items.len());
            let message = if few {
                format!("not enough values to unpack (expected {many}, got {})", values.len())
            } else {
                format!("too many values to unpack (expected {many})")
            };
            return Err(PyValueError::new_err(message));
        }
        self.each(values.iter().zip(items))
    }

    /// Around `*_`: each item by its index.
    fn picked(
        &mut self,
        subject: &Bound<'py, PyAny>,
        before: &[Bound<'py, PyAny>],
        after: &[Bound<'py, PyAny>],
    ) -> PyResult<bool> {
        for (at, item) in before.iter().enumerate() {
            if !item.is_none() && !self.fits(&subject.get_item(at)?, item)? {
                return Ok(false);
            }
        }
        for (at, item) in after.iter().enumerate() {
            if !item.is_none() {
                let at = subject.len()? as isize - (after.len() - at) as isize;
                if !self.fits(&subject.get_item(at)?, item)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Around `*rest`: all items at once; what the star takes is a list.
    fn spread(
        &mut self,
        subject: &Bound<'py, PyAny>,
        before: &[Bound<'py, PyAny>],
        slot: &Bound<'py, PyAny>,
        after: &[Bound<'py, PyAny>],
    ) -> PyResult<bool> {
        let values: Vec<_> = subject.try_iter()?.collect::<PyResult<_>>()?;
        let fixed = before.len() + after.len();
        if values.len() < fixed {
            let message =
                format!("not enough values to unpack (expected at least {fixed}, got {})", values.len());
            return Err(PyValueError::new_err(message));
        }
        let (first, rest) = values.split_at(before.len());
        let (rest, last) = rest.split_at(rest.len() - after.len());
        let rest = PyList::new(subject.py(), rest)?.into_any();
        Ok(self.each(first.iter().zip(before))?
            && self.fits(&rest, slot)?
            && self.each(last.iter().zip(after))?)
    }

    fn each<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a Bound<'py, PyAny>, &'a Bound<'py, PyAny>)>,
    ) -> PyResult<bool>
    where
        'py: 'a,
    {
        for (value, pattern) in pairs {
            if !self.fits(value, pattern)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Of what has the flag of mappings, by `get`; a key that is missing is not made.
    fn mapping(
        &mut self,
        subject: &Bound<'py, PyAny>,
        rest: &Bound<'py, PyAny>,
        items: &[Bound<'py, PyAny>],
    ) -> PyResult<bool> {
        let py = subject.py();
        if !has_flag(subject.get_type().as_any(), MAPPING)? {
            return Ok(false);
        }
        if entries::list_of(subject)?.is_some() {
            return Err(entries::refused(py, "a pattern takes a dict in the graph apart"));
        }
        if !items.is_empty() && subject.len()? < items.len() {
            return Ok(false);
        }
        let mut wanted = Vec::new();
        for item in items {
            let (key, pattern): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
            wanted.push((key.call0()?, pattern));
        }
        let seen = PySet::empty(py)?;
        let missing = py.get_type::<PyAny>().call0()?;
        let mut values = Vec::new();
        for (key, _) in &wanted {
            if seen.contains(key)? {
                let message = format!("mapping pattern checks duplicate key ({})", key.repr()?);
                return Err(PyValueError::new_err(message));
            }
            seen.add(key)?;
            let value = subject.call_method1("get", (key, &missing))?;
            if value.is(&missing) {
                return Ok(false);
            }
            values.push(value);
        }
        if !self.each(values.iter().zip(wanted.iter().map(|(_, pattern)| pattern)))? {
            return Ok(false);
        }
        if !rest.is_none() {
            let others = PyDict::new(py);
            others.call_method1("update", (subject,))?;
            wanted.iter().try_for_each(|(key, _)| others.del_item(key))?;
            return self.fits(others.as_any(), rest);
        }
        Ok(true)
    }

    fn class(
        &mut self,
        subject: &Bound<'py, PyAny>,
        class: &Bound<'py, PyAny>,
        args: &Bound<'py, PyAny>,
        keywords: &Bound<'py, PyAny>,
    ) -> PyResult<bool> {
        let Ok(class) = class.cast::<PyType>() else {
            let what = if class.py().version_info() >= (3, 12) { "class" } else { "type" };
            return Err(PyTypeError::new_err(format!("called match pattern must be a {what}")));
        };
        if !is_instance(subject, class)? {
            return Ok(false);
        }
        let args: Vec<Bound<'py, PyAny>> = args.extract()?;
        let keywords: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)> = keywords.extract()?;
        let mut patterns = args.clone();
        patterns.extend(keywords.iter().map(|(_, pattern)| pattern.clone()));
        let names = keywords.into_iter().map(|(name, _)| name).collect();
        let Some(values) = attributes(subject, class, args.len(), names)? else { return Ok(false) };
        self.each(values.iter().zip(&patterns))
    }
}

/// The values that a class pattern asks for, all before any of them is matched; none if one is missing.
fn attributes<'py>(
    subject: &Bound<'py, PyAny>,
    class: &Bound<'py, PyType>,
    count: usize,
    keywords: Vec<Bound<'py, PyString>>,
) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let mut values = Vec::new();
    let mut names = Vec::new();
    if count > 0 {
        match positional(class, count)? {
            None => values.push(subject.clone()),
            Some(found) => names = found,
        }
    }
    let seen = PySet::empty(subject.py())?;
    for (at, name) in names.into_iter().chain(keywords.into_iter().map(Bound::into_any)).enumerate() {
        let name = if at < count { exact_string(&name)? } else { name };
        if seen.contains(&name)? {
            let class = c_name(class)?;
            let message = format!("{class}() got multiple sub-patterns for attribute {}", name.repr()?);
            return Err(PyTypeError::new_err(message));
        }
        seen.add(&name)?;
        match subject.getattr(name.cast::<PyString>()?) {
            Ok(value) => values.push(value),
            Err(error) if error.is_instance_of::<PyAttributeError>(subject.py()) => {
                return if subject.is_instance(class)? { Ok(None) } else { Err(no_attribute(class, &name)?) };
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some(values))
}

/// The diagnostic of a tensor that stands for a Python number, and is asked for an attribute that only the number has.
fn no_attribute(class: &Bound<'_, PyType>, name: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let (py, class) = (class.py(), class.name()?);
    let message =
        format!("a tensor of the graph fits `{class}()` here, but has no attribute {}", name.repr()?);
    let help = "capture the number itself, as in `case int(n)`, and compute with that";
    Ok(errors::here(py, Code::TensorAsNumber, message, help))
}

/// The attributes that positional patterns stand for; none if the one pattern stands for the subject itself.
fn positional<'py>(class: &Bound<'py, PyType>, count: usize) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let found = class.getattr_opt("__match_args__")?;
    let itself = found.is_none() && has_flag(class.as_any(), MATCH_SELF)?;
    let names: Vec<_> = match &found {
        None => Vec::new(),
        Some(found) => match found.cast_exact::<PyTuple>() {
            Ok(names) => names.iter().collect(),
            Err(_) => {
                let (class, got) = (c_name(class)?, c_name(&found.get_type())?);
                let message = format!("{class}.__match_args__ must be a tuple (got {got})");
                return Err(PyTypeError::new_err(message));
            }
        },
    };
    let allowed = if itself { 1 } else { names.len() };
    if allowed < count {
        let (class, plural) = (c_name(class)?, if allowed == 1 { "" } else { "s" });
        let message = format!("{class}() accepts {allowed} positional sub-pattern{plural} ({count} given)");
        return Err(PyTypeError::new_err(message));
    }
    Ok((!itself).then(|| names.into_iter().take(count).collect()))
}

fn exact_string<'py>(name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if name.is_exact_instance_of::<PyString>() {
        return Ok(name.clone());
    }
    let got = c_name(&name.get_type())?;
    Err(PyTypeError::new_err(format!("__match_args__ elements must be strings (got {got})")))
}

/// `isinstance`, as the function of that name answers; one text of the graph stands for a string of Python's.
fn is_instance(subject: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> PyResult<bool> {
    let is_text = staged_kind(subject)? == Some(Kind::Text);
    if is_text && PyString::new(subject.py(), "").is_instance(class)? {
        return Ok(true);
    }
    number_types::is_instance(subject, class)
}

/// The kind of a single element of the graph.
fn staged_kind(object: &Bound<'_, PyAny>) -> PyResult<Option<Kind>> {
    let Some((tracing, staged)): Option<(Arc<Tracing>, Staged)> = staged_value(object)? else {
        return Ok(None);
    };
    let ty = tracing.trace.ty(staged.value);
    Ok(ty.is_scalar().then(|| DType::kind(ty.dtype)))
}

/// An answer of the graph as a bool of the graph.
fn truth<'py>(answer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if staged_kind(answer)? == Some(Kind::Bool) { Ok(answer.clone()) } else { not(&not(answer)?) }
}

fn choice<'py>(
    test: &Bound<'py, PyAny>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match staged_test(test)? {
        None => Ok(a.clone()),
        Some((tracing, test)) => choose(a.py(), tracing, test, [&|| Ok(a.clone()), &|| Ok(b.clone())], &[]),
    }
}

/// Capture of `*name`, as `None` or a slot, if the pattern is a star.
fn star_of<'py>(pattern: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(parts) = pattern.cast::<PyTuple>() else { return Ok(None) };
    let is_star = parts.get_item(0)?.extract::<String>()? == "star";
    is_star.then(|| parts.get_item(1)).transpose()
}

/// The flags that Python itself asks for, `Py_TPFLAGS_*`.
const SEQUENCE: u64 = 1 << 5;
const MAPPING: u64 = 1 << 6;
const MATCH_SELF: u64 = 1 << 22;
const HEAP: u64 = 1 << 9;

/// A class as Python's own messages name it: with its module, if it is written in C and not a builtin.
fn c_name(class: &Bound<'_, PyType>) -> PyResult<String> {
    let (name, module) = (class.name()?, class.module()?);
    let bare = has_flag(class.as_any(), HEAP)? || module == "builtins";
    Ok(if bare { name.to_string() } else { format!("{module}.{name}") })
}

fn has_flag(class: &Bound<'_, PyAny>, flag: u64) -> PyResult<bool> {
    Ok(class.getattr("__flags__")?.extract::<u64>()? & flag != 0)
}
