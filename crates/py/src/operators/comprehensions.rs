//! Comprehensions and generator expressions: loops of the graph where the graph iterates what they run over.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::containers::lists::{self, elements, placed};
use crate::containers::tables;
use crate::host::checks::staged_test;
use crate::iteration::comprehension::{Asker, Comprehension, out_of_generator, undecided};
use crate::iteration::generators::{Generator, generator};
use crate::iteration::iterable::Iterable;
use crate::iteration::progress;
use crate::iteration::unfilled::unfilled;
use crate::operators::builtin_table::{generated, in_graph};
use crate::operators::object::Operators;
use crate::operators::special_methods;
use crate::session::conv::conv;
use crate::session::recursion_limit;
use crate::values::tensor::Tensor;

#[pymethods]
impl Operators {
    /// `(element for target in iterable if test)`: `make` makes Python's generator, `parts` gives test and element.
    fn generator<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        make: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let iterator = special_methods::iterator(iterable)?;
        let iterable = iterator.as_ref().unwrap_or(iterable);
        let empty = unfilled(iterable)?;
        let iterable = empty.as_ref().unwrap_or(iterable);
        match generated(iterable, parts)? {
            None if iterable.is_instance_of::<Comprehension>() => self.kept_first(iterable, parts, false),
            Some(generator) => Ok(generator),
            None => Ok(progress::made(make.call1((iterable,))?, std::slice::from_ref(iterable))),
        }
    }

    /// `[element for target in iterable if test]`: `make` makes Python's list, `parts` gives test and element.
    fn listed<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        make: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let iterator = special_methods::iterator(iterable)?;
        let iterable = iterator.as_ref().unwrap_or(iterable);
        let is_pushed = iterable.is_instance_of::<Comprehension>() || iterable.is_instance_of::<Generator>();
        if is_pushed || (!is_looped(iterable) && in_graph(iterable)?) {
            return self.kept_list(iterable, parts, false);
        }
        let found =
            if is_looped(iterable) || in_graph(iterable)? { generated(iterable, parts)? } else { None };
        let Some(found) = found else {
            progress::advances(iterable)?;
            return make.call1((lists::each(iterable)?,));
        };
        found.py().import("graphwright._meanings.iterables")?.call_method1("collected", (&found,))
    }

    /// The same of one that somebody may ask later, noted where it is made; with `parts`, the graph may iterate what it runs over.
    #[pyo3(signature = (iterable, make, parts=None))]
    fn made<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        make: &Bound<'py, PyAny>,
        parts: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let iterator = if parts.is_some() { special_methods::iterator(iterable)? } else { None };
        let iterable = iterator.as_ref().unwrap_or(iterable);
        if let Some(parts) = parts
            && (is_looped(iterable) || in_graph(iterable)? || iterable.is_instance_of::<Generator>())
        {
            return generator("generated", &PyTuple::new(iterable.py(), [iterable, parts])?);
        }
        let items = lists::each(iterable)?;
        Ok(progress::made(make.call1((items,))?, std::slice::from_ref(iterable)))
    }

    /// A part of a generator expression that became part of a loop: as in a generator, no `StopIteration` leaves it.
    fn yielded<'py>(&self, thunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        recursion_limit::call(thunk, ()).map_err(|error| out_of_generator(thunk.py(), error))
    }

    /// `(element for target in iterable if test)` that a call takes items of at once, where `parts` gives test and element; `flat`
    /// where an element is such a generator itself, and its items are meant.
    fn kept<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
        flat: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let iterator = special_methods::iterator(iterable)?;
        let iterable = iterator.as_ref().unwrap_or(iterable);
        match if flat { None } else { generated(iterable, parts)? } {
            Some(found) => Ok(found),
            None => self.kept_first(iterable, parts, flat),
        }
    }

    /// The same where the call takes the first item, and nobody asks for another.
    fn kept_first<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
        flat: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kept = Bound::new(iterable.py(), kept(iterable, parts, flat)?)?.into_any();
        Ok(progress::made(kept, std::slice::from_ref(iterable)))
    }

    /// `[element for target in iterable if test]`
    fn kept_list<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
        flat: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (list, rest) = listed_until_decided(iterable, parts, flat)?;
        let _takes_each_once = (!flat).then(placed::Comprehending::begin);
        with_rest("extended", list.into_any(), rest)
    }

    /// `{element for target in iterable if test}`
    fn kept_set<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
        flat: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (list, rest) = listed_until_decided(iterable, parts, flat)?;
        with_rest("added", tables::set_of(list.as_any())?, rest)
    }

    /// `{key: value for target in iterable if test}`
    fn kept_dict<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
        flat: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dict = PyDict::new(iterable.py());
        let mut put = |pair: Bound<'py, PyAny>| dict.set_item(pair.get_item(0)?, pair.get_item(1)?);
        let rest = kept_items(iterable, parts, flat, &mut put)?;
        with_rest("filled", dict.into_any(), rest)
    }

    /// The test of a comprehension for an item, which Python decides.
    fn keeps<'py>(&self, test: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if staged_test(test)?.is_none() { Ok(test.clone()) } else { Err(undecided(test.py())) }
    }
}

/// The list of the items that Python decides to keep; and those that the graph decides, if there are any.
fn listed_until_decided<'py>(
    iterable: &Bound<'py, PyAny>,
    parts: &Bound<'py, PyAny>,
    flat: bool,
) -> PyResult<(Bound<'py, PyList>, Option<Bound<'py, PyAny>>)> {
    let list = PyList::empty(iterable.py());
    let rest = kept_items(iterable, parts, flat, &mut |item| list.append(item))?;
    Ok((list, rest))
}

/// Does `put` with each item that Python decides to keep; gives those that the graph decides, if there are any.
fn kept_items<'py>(
    iterable: &Bound<'py, PyAny>,
    parts: &Bound<'py, PyAny>,
    flat: bool,
    put: &mut dyn FnMut(Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = iterable.py();
    let iterator = special_methods::iterator(iterable)?;
    let kept = kept(iterator.as_ref().unwrap_or(iterable), parts, flat)?;
    while let Some(item) = kept.next(py, Asker::All)? {
        put(item)?;
    }
    Ok(kept.rest(py)?.map(Bound::into_any))
}

fn kept(iterable: &Bound<'_, PyAny>, parts: &Bound<'_, PyAny>, flat: bool) -> PyResult<Comprehension> {
    match is_looped(iterable) || in_graph(iterable)? || iterable.is_instance_of::<Generator>() {
        true => Ok(Comprehension::of_graph(iterable, parts, flat)),
        false => Comprehension::new(iterable, parts, flat),
    }
}

/// `found`, into which `graphwright._meanings.written.{how}` puts the rest.
fn with_rest<'py>(
    how: &str,
    found: Bound<'py, PyAny>,
    rest: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(rest) = rest else { return Ok(found) };
    let written = found.py().import("graphwright._meanings.written")?;
    conv(&written.getattr(how)?)?.call1((found, rest))
}

/// True of what has as many items as the graph computes: a range or list of the graph, a tensor whose rows are not counted.
fn is_looped(iterable: &Bound<'_, PyAny>) -> bool {
    let is_open = |tensor: &Bound<'_, Tensor>| tensor.get().lengths().first() == Some(&None);
    iterable.is_instance_of::<Iterable>()
        || elements::staged(iterable).is_some()
        || iterable.cast::<Tensor>().is_ok_and(is_open)
}
