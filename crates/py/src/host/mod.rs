//! Python as a host of staging: what its objects are to the graph.

pub mod answered;
pub mod as_numpy;
pub mod assigned;
pub mod captures;
pub mod checks;
pub mod failures;
pub mod integers;
pub mod lengths;
pub mod lent;
pub mod made_object;
pub mod meeting;
pub mod members;
pub mod messages;
pub mod nesting;
pub mod operand;
pub mod operands;
pub mod powers;
pub mod quotients;
pub mod shown;
pub mod shown_checks;
pub mod skeleton;
pub mod structure;

use std::sync::Arc;

use gw_base::{Diagnostic, Loc};
use gw_trace::objects::Heap;
use gw_trace::{Host, Interrupt, Lack, Part, Parts, Seen, Shown, Slot, Staged, Trace};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyInt, PyString};

use crate::containers::heap::heap;
use crate::containers::lists::row_objects::{self, NoElements};
use crate::effects::alias;
use crate::exceptions::errors::Failed;
use crate::exceptions::raised;
use crate::host::operand::Operand;
use crate::host::skeleton::Skeleton;
use crate::host::structure::Kind;
use crate::optional::maybe::{Maybe, Unbound};
use crate::optional::maybe_structure::MaybeStructure;
use crate::optional::poison::Unclear;
use crate::optional::same_objects::{same_array, same_maybe, same_method, same_number};
use crate::session::own_files::is_ours;
use crate::session::{Tracing, frames, interrupts, libraries, loop_options};
use crate::values::sharing::MaybeShared;
use crate::values::tensor::Tensor;
use crate::values::{array, store, strings};

pub mod values;

/// Python, while a graph is built.
pub struct PyHost<'py> {
    py: Python<'py>,
    tracing: Arc<Tracing>,
    place: Option<Loc>,
    /// The blocks of the statement.
    blocks: Vec<Bound<'py, PyAny>>,
}

impl<'py> PyHost<'py> {
    /// Python with the innermost graph of this thread; the statement that is staged is where Python is now.
    pub fn new(py: Python<'py>, tracing: Arc<Tracing>) -> Self {
        Self { py, place: frames::place(py), tracing, blocks: Vec::new() }
    }

    /// Python with a graph, for operations of which each asks for its own place.
    pub fn anywhere(py: Python<'py>, tracing: Arc<Tracing>) -> Self {
        Self { py, place: None, tracing, blocks: Vec::new() }
    }

    /// With the place of what is staged.
    #[must_use]
    pub fn at(mut self, place: Option<Loc>) -> Self {
        self.place = place.or(self.place);
        self
    }

    /// With the branches of the statement, or the body of the loop.
    #[must_use]
    pub fn with_blocks(mut self, blocks: &[&Bound<'py, PyAny>]) -> Self {
        self.blocks = blocks.iter().map(|block| (*block).clone()).collect();
        self
    }
}

impl<'py> PyHost<'py> {
    /// The interpreter.
    pub fn py(&self) -> Python<'py> {
        self.py
    }

    /// The graph that is built.
    pub fn tracing(&self) -> &Arc<Tracing> {
        &self.tracing
    }

    /// True if a name of the statement is a variable of a function.
    fn is_variable(&self, slot: &Slot) -> PyResult<bool> {
        let Slot::Name(name) = slot else { return Ok(false) };
        for block in self.blocks.iter().filter_map(|block| block.cast::<PyFunction>().ok()) {
            let code = block.getattr("__code__")?;
            if code.getattr("co_freevars")?.contains(name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Host for PyHost<'_> {
    type Value = Arc<Py<PyAny>>;
    type Skeleton = Skeleton;
    type Error = Failed;

    fn trace(&self) -> &Trace {
        &self.tracing.trace
    }

    fn place(&self) -> Option<Loc> {
        self.place.clone()
    }

    fn limit(&self) -> Option<i64> {
        loop_options::loop_options().most
    }

    fn segments(&self) -> usize {
        loop_options::loop_options().segments
    }

    fn assigned(&self, slot: &Slot, part: Part) -> Option<Loc> {
        let place = match part {
            Part::Before => assigned::before(self.py, slot),
            Part::Block(at) => assigned::in_block(self.blocks.get(at)?, slot),
        };
        // The lines of functions of this package, such as those of `sum`, are no concern of the user's.
        place.filter(|place| !is_ours(self.py, &place.file))
    }

    fn flatten(&self, value: &Self::Value) -> Result<Parts<Self>, Failed> {
        let (skeleton, leaves) = values::flat(&self.tracing, value.bind(self.py))?;
        Ok((skeleton, leaves.into_iter().map(Arc::new).collect()))
    }

    fn flatten_way(&self, value: &Self::Value) -> Result<Parts<Self>, Failed> {
        let (skeleton, leaves) = values::flat_by_class(&self.tracing, value.bind(self.py))?;
        Ok((skeleton, leaves.into_iter().map(Arc::new).collect()))
    }

    fn rebuild(&self, skeleton: &Skeleton, leaves: Vec<Self::Value>) -> Result<Self::Value, Failed> {
        let mut leaves = leaves.into_iter().map(|leaf| leaf.clone_ref(self.py));
        Ok(Arc::new(skeleton.rebuild(self.py, &mut leaves)?.unbind()))
    }

    fn same_skeleton(&self, a: &Skeleton, b: &Skeleton) -> bool {
        a.same(b, self.py)
    }

    fn has_rows(&self, skeleton: &Skeleton) -> bool {
        let Skeleton::Node(_, parts) = skeleton else { return matches!(skeleton, Skeleton::Rows(_)) };
        parts.iter().any(|part| self.has_rows(part))
    }

    fn as_rows(&self, lists: [&Skeleton; 2]) -> Option<(Skeleton, [Option<usize>; 2])> {
        let parts = lists.map(|list| match list {
            Skeleton::Node(Kind::List, parts) => Some(parts),
            Skeleton::Leaf | Skeleton::Node(..) | Skeleton::Rows(_) => None,
        });
        let [Some(a), Some(b)] = parts else { return None };
        let element = a.iter().chain(b).find_map(|part| match part {
            Skeleton::Rows(element) => Some(element.clone()),
            Skeleton::Leaf | Skeleton::Node(..) => None,
        });
        if element.is_none() && a.len() == b.len() {
            return None;
        }
        let first = || a.iter().chain(b).next().map(|first| Arc::new(first.clone_ref(self.py)));
        let element = element.or_else(first)?;
        let count = |parts: &Vec<Skeleton>| match &parts[..] {
            [Skeleton::Rows(own)] if own.same(&element, self.py) => Some(None),
            _ if parts.iter().all(|part| part.same(&element, self.py)) => Some(Some(parts.len())),
            _ => None,
        };
        let counts = [count(a)?, count(b)?];
        Some((Skeleton::Node(Kind::List, vec![Skeleton::Rows(element)]), counts))
    }

    fn has_lists(&self) -> Result<(), Failed> {
        let heap = heap(self.py)?;
        if heap.lists().begin() { heap.first_list() } else { Ok(()) }
    }

    fn leaf_without_elements(&self) -> Option<Result<Self::Value, Failed>> {
        Some(Py::new(self.py, NoElements).map(|leaf| Arc::new(leaf.into_any())).map_err(Failed::from))
    }

    fn optional(&self, skeleton: &Skeleton) -> Option<Skeleton> {
        match skeleton {
            Skeleton::Leaf | Skeleton::Rows(_) => None,
            Skeleton::Node(Kind::Optional, _) => Some(skeleton.clone_ref(self.py)),
            Skeleton::Node(..) => {
                let parts = vec![Skeleton::Leaf, skeleton.clone_ref(self.py)];
                Some(Skeleton::Node(Kind::Optional, parts))
            }
        }
    }

    fn see(&self, leaf: &Self::Value) -> Result<Seen, Failed> {
        let object = leaf.bind(self.py);
        if let Ok(maybe) = object.cast::<Maybe>() {
            let maybe = maybe.get();
            let here = |value| self.tracing.trace.lift(value).unwrap_or(value);
            let staged = Staged { value: here(maybe.staged.value), ..maybe.staged };
            return Ok(Seen::Maybe(staged, here(maybe.bound), maybe.lack));
        }
        if object.is_instance_of::<Unbound>() {
            return Ok(Seen::Unbound);
        }
        if object.is_instance_of::<Unclear>() {
            return Ok(Seen::Unclear);
        }
        if object.is_none() {
            return Ok(Seen::Nothing);
        }
        if object.is_instance_of::<NoElements>() {
            return Ok(Seen::Empty);
        }
        Ok(match operands::plain_operand(object)? {
            None => {
                let mut texts = self.tracing.texts();
                strings::plain(object, &mut texts).map_or(Seen::Object, Seen::Text)
            }
            Some(Operand::Number(n)) => Seen::Number(n),
            Some(operand) => Seen::Staged(operands::stage(&self.tracing, &operand)),
        })
    }

    fn show(&self, shown: Shown) -> Result<Self::Value, Failed> {
        let tracing = self.tracing.clone();
        let object = match shown {
            Shown::Staged(staged) => Py::new(self.py, Tensor::staged(tracing, staged))?.into_any(),
            Shown::Nothing => self.py.None(),
            Shown::Number(n) => array::to_python(self.py, n)?.unbind(),
            Shown::Maybe(staged, bound, lack) => {
                if lack == Lack::Nothing {
                    tracing.meets_optional(self.py)?;
                }
                Py::new(self.py, Maybe { tracing, staged, bound, lack, shares: MaybeShared::default() })?
                    .into_any()
            }
        };
        Ok(Arc::new(object))
    }

    fn unclear(&self, slot: &Slot, why: Diagnostic) -> Result<Self::Value, Failed> {
        // Of attributes, items and globals it is not known who reads them.
        if !self.is_variable(slot)? {
            let place = self.place.clone().filter(|_| why.labels.is_empty());
            return Err(place.into_iter().fold(why, |why, place| why.at(place, "")).into());
        }
        Ok(Arc::new(Py::new(self.py, Unclear::new(why, self.place.clone()))?.into_any()))
    }

    fn is_one(&self, found: &Self::Value, left: &Self::Value) -> bool {
        let (found, left) = (found.bind(self.py), left.bind(self.py));
        found.is(left) || !alias::is_changeable(left)
    }

    fn same(&self, a: &Self::Value, b: &Self::Value) -> bool {
        let (a, b) = (a.bind(self.py), b.bind(self.py));
        if a.is_instance_of::<Unclear>() && b.is_instance_of::<Unclear>() {
            return true;
        }
        let numbers = same_array(a, b) || same_number(a, b);
        numbers
            || same_maybe(a, b)
            || strings::same_text(a, b)
            || same_method(a, b)
            || row_objects::same_list(a, b)
    }

    fn own_state(&self) -> Result<Vec<Self::Value>, Failed> {
        let value = |tracked: crate::effects::tracked::Tracked| {
            let tensor = Tensor::staged(self.tracing.clone(), tracked.value);
            Ok(Arc::new(Py::new(self.py, tensor)?.into_any()))
        };
        self.tracing.tracked().into_iter().map(value).collect()
    }

    fn set_own_state(&self, values: &[Self::Value]) -> Result<(), Failed> {
        let staged = |value: &Self::Value| {
            let operand = operands::operand(value.bind(self.py))?;
            Ok(operands::stage(&self.tracing, &operand))
        };
        self.tracing.restore(&values.iter().map(staged).collect::<PyResult<Vec<_>>>()?);
        Ok(())
    }

    fn store(&self, leaf: &Self::Value, content: &Self::Value) -> Result<(), Failed> {
        let (leaf, content) = (leaf.bind(self.py).cast::<Tensor>(), content.bind(self.py).cast::<Tensor>());
        let (Ok(leaf), Ok(content)) = (leaf, content) else { return Ok(()) };
        Ok(store::put(leaf, content.get().content())?)
    }

    fn interrupt(&self, why: Interrupt) -> Failed {
        Failed::Python(interrupts::error(why))
    }

    fn interrupt_of(&self, error: &Failed) -> Option<Interrupt> {
        match error {
            Failed::Python(error) => interrupts::reason(self.py, error),
            Failed::Diagnosed(_) => None,
        }
    }

    fn instead(&self, leaf: &Self::Value) -> Option<&'static str> {
        let leaf = leaf.bind(self.py);
        if leaf.is_instance_of::<PyFunction>() {
            return Some("a graph holds no functions: call them in the branches, and leave what they return");
        }
        let own = libraries::is_users(leaf.get_type().as_any()).unwrap_or(false);
        own.then_some(
            "the graph chooses the fields of dataclasses, and of objects that the function makes: make the class a dataclass, or \
             choose a number",
        )
    }

    fn raises(&self, error: &Failed) -> bool {
        match error {
            Failed::Python(error) => raised::by_graph(error, self).unwrap_or(false),
            Failed::Diagnosed(_) => false,
        }
    }

    fn can_raise(&self, error: &Failed) -> bool {
        match error {
            Failed::Python(error) => raised::is_for_graph(error, self).unwrap_or(false),
            Failed::Diagnosed(_) => false,
        }
    }

    fn passes(&self, error: &Failed) {
        if let Failed::Python(error) = error
            && raised::is_as_in_python(error, self).unwrap_or(false)
        {
            self.tracing.tries().set_passing(error.value(self.py).clone().into_any().unbind());
        }
    }

    fn can_learn(&self, error: &Failed) -> bool {
        let lists = self.tracing.lists();
        lists.has_missed()
            && !raised::ends_tracing(error, self.py)
            && !(lists.is_asked() && self.can_raise(error))
    }

    fn misses(&self) -> usize {
        self.tracing.lists().misses()
    }

    fn ask(&self, begins: bool) {
        self.tracing.lists().ask(begins);
    }

    fn word(&self, leaf: &Self::Value) -> String {
        let object = leaf.bind(self.py);
        let plain = [
            (object.is_none(), "`None`"),
            (object.is_instance_of::<Unbound>(), "without a value"),
            (object.is_instance_of::<Unclear>(), "without a value on some paths"),
            (object.is_instance_of::<NoElements>(), "a `list` without elements"),
            (row_objects::staged(object).is_some() || row_objects::is_list(object), "a `list`"),
        ];
        if let Some((_, word)) = plain.into_iter().find(|(is_it, _)| *is_it) {
            return word.to_owned();
        }
        if let Ok(maybe) = object.cast::<Maybe>() {
            let Maybe { tracing, staged, lack, .. } = maybe.get();
            let value = gw_trace::describe(&tracing.trace.ty(staged.value), staged.weak);
            return match lack {
                Lack::Nothing => format!("`None` or {value}"),
                Lack::Unbound => format!("without a value or {value}"),
                Lack::OtherRank => format!("{value} or of another rank"),
            };
        }
        if let Ok(Some(operand)) = operands::plain_operand(object) {
            return operands::describe_type(&operand);
        }
        if let Ok(maybe) = object.cast::<MaybeStructure>() {
            let [_, value] = maybe.get().items(self.py);
            return format!("`None` or {}", self.word(&Arc::new(value.unbind())));
        }
        let name = object.get_type().name().map_or_else(|_| "object".to_owned(), |n| n.to_string());
        match (keys_of(object), object.len()) {
            (Some(keys), _) => format!("a `{name}` with the keys {keys}"),
            (None, Ok(n)) => format!("a `{name}` of {n}"),
            (None, Err(_)) => format!("a `{name}`"),
        }
    }
}

/// The keys of a dict in their order, if they are some strings or numbers.
fn keys_of(object: &Bound<'_, PyAny>) -> Option<String> {
    let dict = object.cast::<PyDict>().ok().filter(|dict| (1..=MOST_KEYS).contains(&dict.len()))?;
    let word = |key: Bound<'_, PyAny>| {
        let is_plain = key.is_exact_instance_of::<PyString>() || key.is_exact_instance_of::<PyInt>();
        is_plain.then(|| key.repr().ok().map(|text| text.to_string()))?
    };
    dict.keys().iter().map(word).collect::<Option<Vec<_>>>().map(|words| words.join(", "))
}

/// So many keys of a dict are named in a message.
const MOST_KEYS: usize = 8;
