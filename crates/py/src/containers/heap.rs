//! Python's lists, dicts and sets for the rules of containers in the graph: which object is a list, what it holds, and what stands
//! in it for elements of the graph.

use std::sync::Arc;

use gw_base::{Diagnostic, Loc};
use gw_ir::{CheckKind, Piece as Text, ValueId};
use gw_runtime::Buffer;
use gw_trace::calls::Call;
use gw_trace::objects::{Elements, Heap, Operand as Given, Registry, TableKind};
use gw_trace::{Lack, Parts, Staged};
use gw_types::DType;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::list_object::ListObject;
use super::lists::doubtful;
use super::lists::parting::part_with;
use super::lists::placed;
use super::lists::row_objects::{NoElements, has_rows};
use super::lists::rows::Rows;
use super::tables::{entries, making};
use crate::effects::alias::{self, Same};
use crate::exceptions::errors::{self, Failed};
use crate::host::operand::Operand;
use crate::host::skeleton::Skeleton;
use crate::host::structure::{self, Kind};
use crate::host::{PyHost, checks, messages, operands, values};
use crate::host_calls::as_it_is;
use crate::optional::maybe::Maybe;
use crate::optional::same_objects::{same_array, same_number};
use crate::session::{self, frames};
use crate::values::cell::Origin;
use crate::values::sharing::MaybeShared;
use crate::values::tensor::Tensor;

/// The innermost graph of this thread, for operations on containers.
pub fn heap(py: Python<'_>) -> PyResult<PyHost<'_>> {
    let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    Ok(PyHost::anywhere(py, tracing))
}

/// An operand of the graph's, as the operations on containers take it.
pub fn given(operand: Operand) -> Given<Buffer> {
    match operand {
        Operand::Staged(_, staged) => Given::Staged(staged),
        Operand::Tensor(buffer) => Given::Constant(buffer),
        Operand::Number(number) => Given::Number(number),
    }
}

impl PyHost<'_> {
    fn operand_of(&self, given: Given<Buffer>) -> Operand {
        match given {
            Given::Staged(staged) => Operand::Staged(self.tracing().clone(), staged),
            Given::Constant(buffer) => Operand::Tensor(buffer),
            Given::Number(number) => Operand::Number(number),
        }
    }

    fn object(&self, value: impl Into<Py<PyAny>>) -> Arc<Py<PyAny>> {
        Arc::new(value.into())
    }
}

type Value = Arc<Py<PyAny>>;

/// An object as a value of the host's.
pub fn value(object: &Bound<'_, PyAny>) -> Value {
    Arc::new(object.clone().unbind())
}

impl Heap for PyHost<'_> {
    type Object = ListObject;
    type Constant = Buffer;
    type Message = Py<PyAny>;

    fn lists(&self) -> &Registry<ListObject, Value, Skeleton> {
        &self.tracing().lists().all
    }

    fn first_list(&self) -> Result<(), Failed> {
        Ok(as_it_is::watch(self.py())?)
    }

    fn here(&self) -> Option<Loc> {
        frames::place(self.py())
    }

    fn list(&self, value: &Value) -> Option<ListObject> {
        value.bind(self.py()).cast_exact::<PyList>().ok().map(ListObject::new)
    }

    fn value_of(&self, list: &ListObject) -> Value {
        self.object(list.bind(self.py()).clone().into_any().unbind())
    }

    fn new_list(&self, items: Vec<Value>) -> Result<ListObject, Failed> {
        Ok(ListObject::new(&self.python_list(&items)?))
    }

    fn items(&self, list: &ListObject) -> Vec<Value> {
        list.bind(self.py()).iter().map(|item| Arc::new(item.unbind())).collect()
    }

    fn fill(&self, list: &ListObject, items: Vec<Value>) -> Result<(), Failed> {
        let list = list.bind(self.py());
        Ok(list.set_slice(0, list.len(), self.python_list(&items)?.as_any())?)
    }

    fn reshape(&self, list: &ListObject, items: Vec<Value>) -> Result<(), Failed> {
        let chosen = &self.tracing().lists().chosen;
        Ok(chosen.reshaping(list.bind(self.py()), || Ok(self.fill(list, items)?))?)
    }

    fn part_with(&self, item: &Value) -> Result<(), Failed> {
        Ok(part_with(item.bind(self.py()))?)
    }

    fn row_item(&self, held: Elements<Skeleton>) -> Result<Value, Failed> {
        let rows = Rows::new(self.tracing().clone(), held);
        Ok(self.object(Py::new(self.py(), rows)?.into_any()))
    }

    fn row_elements(&self, item: &Value) -> Option<Elements<Skeleton>> {
        Some(item.bind(self.py()).cast::<Rows>().ok()?.get().held.clone())
    }

    fn is_rows(&self, item: &Value) -> bool {
        item.bind(self.py()).is_exact_instance_of::<Rows>()
    }

    fn holds_rows(&self, list: &ListObject) -> bool {
        has_rows(list.bind(self.py()))
    }

    fn read_rows(&self, item: &Value, held: &Elements<Skeleton>) -> Result<Vec<Staged>, Failed> {
        let py = self.py();
        let rows = item.bind(py).cast::<Rows>().map_err(PyErr::from)?.get();
        let visible = |&leaf: &Staged| operands::visible(py, &rows.tracing, leaf);
        let leaves = held.leaves.iter().map(visible).collect::<PyResult<Vec<_>>>()?;
        if let (Some((bound, lack)), Some(&staged)) = (held.bound, leaves.first()) {
            let (tracing, shares) = (self.tracing().clone(), MaybeShared::default());
            let maybe = Maybe { tracing, staged, bound, lack, shares };
            operands::value_of(Bound::new(py, maybe)?.as_any())?;
        }
        Ok(leaves)
    }

    fn doubt(&self, list: &ListObject) -> Result<Option<(ValueId, Lack, ListObject)>, Failed> {
        let list = list.bind(self.py());
        let Some((bound, lack)) = doubtful::doubt(list)? else { return Ok(None) };
        Ok(Some((bound, lack, ListObject::new(&doubtful::sure(list)?))))
    }

    fn open(&self, value: &Value) -> Result<Parts<Self>, Failed> {
        let (skeleton, leaves) = values::parts(value.bind(self.py()))?;
        Ok((skeleton, leaves.into_iter().map(Arc::new).collect()))
    }

    fn is_value(&self, skeleton: &Skeleton) -> bool {
        match skeleton {
            Skeleton::Leaf => true,
            Skeleton::Node(Kind::Tuple(_) | Kind::Fields(..) | Kind::Member(_), parts) => {
                parts.iter().all(|part| self.is_value(part))
            }
            Skeleton::Node(..) | Skeleton::Rows(_) => false,
        }
    }

    fn has_own_equality(&self, skeleton: &Skeleton) -> bool {
        match skeleton {
            Skeleton::Leaf => false,
            Skeleton::Node(Kind::Fields(..), _) => true,
            Skeleton::Node(_, parts) => parts.iter().any(|part| self.has_own_equality(part)),
            Skeleton::Rows(element) => self.has_own_equality(element),
        }
    }

    fn is_listed(&self, value: &Value) -> Result<(), Failed> {
        Ok(alias::listed(value.bind(self.py()))?)
    }

    fn enters(&self, value: &Value) -> Result<(), Failed> {
        Ok(placed::enters(value.bind(self.py()))?)
    }

    fn is_walked(&self, value: &Value) -> Result<(), Failed> {
        Ok(placed::is_walked(value.bind(self.py()))?)
    }

    fn is_copied_list(&self, list: &ListObject) -> Result<(), Failed> {
        let list = list.bind(self.py());
        list.iter().filter_map(|item| item.cast_into::<Rows>().ok()).for_each(|rows| {
            placed::are_copied(&rows.get().held.element);
        });
        Ok(())
    }

    fn is_resized(&self, list: &ListObject) -> Result<(), Failed> {
        self.tracing().lists().placed.resize(list.bind(self.py()));
        Ok(())
    }

    fn is_longer(&self, list: &ListObject, rows: &Value) -> Result<(), Failed> {
        let py = self.py();
        Ok(self.tracing().lists().placed.lengthen(list.bind(py), rows.bind(py))?)
    }

    fn is_moved(&self, value: &Value, list: &ListObject) -> Result<(), Failed> {
        Ok(placed::is_moved(value.bind(self.py()), list.bind(self.py()))?)
    }

    fn is_copied(&self, value: &Value) -> Result<(), Failed> {
        Ok(placed::is_copied(value.bind(self.py()))?)
    }

    fn stands_for(&self, value: &Value, list: &ListObject, at: &dyn Fn() -> ValueId) -> Result<(), Failed> {
        Ok(placed::stands_for(value.bind(self.py()), list.bind(self.py()), at)?)
    }

    fn is_read(&self, list: &ListObject) -> Result<(), Failed> {
        Ok(placed::is_read(list.bind(self.py()))?)
    }

    fn pair(&self, skeleton: &Skeleton) -> Option<[(Skeleton, usize); 2]> {
        let Skeleton::Node(_, parts) = skeleton else { return None };
        let [key, value] = &parts[..] else { return None };
        Some([key, value].map(|part| (part.clone_ref(self.py()), part.count())))
    }

    fn part(&self, leaf: Staged) -> Result<Value, Failed> {
        let tensor = Tensor::staged(self.tracing().clone(), leaf);
        let tensor = if tensor.is_number() { tensor } else { tensor.with(Origin::Part) };
        Ok(self.object(Py::new(self.py(), tensor)?.into_any()))
    }

    fn operand(&self, leaf: &Value) -> Result<Option<Given<Buffer>>, Failed> {
        Ok(operands::plain_operand(leaf.bind(self.py()))?.map(given))
    }

    fn is_object(&self, a: &Value, b: &Value) -> bool {
        a.is(&**b)
    }

    fn same_item(&self, a: &Value, b: &Value) -> bool {
        let (a, b) = (a.bind(self.py()), b.bind(self.py()));
        a.is(b) || same_number(a, b) || same_array(a, b)
    }

    fn type_name(&self, value: &Value) -> Result<String, Failed> {
        let original = alias::restored(value.bind(self.py()))?;
        let object = original.as_ref().unwrap_or_else(|| value.bind(self.py()));
        Ok(if object.is_none() { "None".to_owned() } else { object.get_type().name()?.to_string() })
    }

    fn inside(&self, value: &Value) -> Result<Option<Vec<Value>>, Failed> {
        let opened = structure::open(value.bind(self.py()))?;
        Ok(opened.map(|(_, items)| items.into_iter().map(|item| Arc::new(item.unbind())).collect()))
    }

    fn tuple(&self, value: &Value) -> Result<Option<Vec<Value>>, Failed> {
        let opened = structure::open(value.bind(self.py()))?;
        let items = opened.filter(|(kind, _)| matches!(kind, Kind::Tuple(_))).map(|(_, items)| items);
        Ok(items.map(|items| items.into_iter().map(|item| self.object(item.unbind())).collect()))
    }

    fn tuple_like(&self, tuple: &Value, items: Vec<Value>) -> Result<Value, Failed> {
        let py = self.py();
        let items = items.iter().map(|item| item.bind(py).clone()).collect();
        let made = match structure::open(tuple.bind(py))? {
            Some((kind, _)) => kind.close(py, items)?,
            None => tuple.bind(py).clone(),
        };
        Ok(self.object(made.unbind()))
    }

    fn no_elements(&self) -> Result<Value, Failed> {
        Ok(self.object(Py::new(self.py(), NoElements)?.into_any()))
    }

    fn is_no_elements(&self, value: &Value) -> bool {
        value.bind(self.py()).is_instance_of::<NoElements>()
    }

    fn stand_in(&self, value: &Value) -> Result<Value, Failed> {
        let same = Same(value.clone_ref(self.py()));
        Ok(self.object(Py::new(self.py(), same)?.into_any()))
    }

    fn stood_for(&self, value: &Value) -> Option<Value> {
        let same = value.bind(self.py()).cast::<Same>().ok()?;
        Some(Arc::new(same.get().0.clone_ref(self.py())))
    }

    fn original(&self, value: &Value) -> Result<Option<Value>, Failed> {
        Ok(alias::restored(value.bind(self.py()))?.map(|object| Arc::new(object.unbind())))
    }

    fn table(&self, value: &Value) -> Option<TableKind> {
        entries::kind(value.bind(self.py()))
    }

    fn table_list(&self, table: &Value) -> Result<Option<ListObject>, Failed> {
        Ok(entries::list_of(table.bind(self.py()))?.as_ref().map(ListObject::new))
    }

    fn table_contents(&self, table: &Value) -> Result<ListObject, Failed> {
        Ok(ListObject::new(&making::contents(table.bind(self.py()))?))
    }

    fn keys_differ(&self, a: &Value, b: &Value) -> Result<bool, Failed> {
        Ok(making::keys_differ(a.bind(self.py()), b.bind(self.py()))?)
    }

    fn new_table(&self, kind: TableKind, list: &ListObject) -> Result<Value, Failed> {
        Ok(self.object(making::make(kind, list.bind(self.py()))?.unbind()))
    }

    fn bring(&self, constant: &Buffer) -> Staged {
        operands::stage(self.tracing(), &Operand::Tensor(constant.clone()))
    }

    fn constant_type(&self, constant: &Buffer) -> (DType, usize) {
        (constant.dtype(), constant.lengths().len())
    }

    fn has_nan(&self, constant: &Buffer) -> bool {
        constant.scalars().any(|number| number.to_f64().is_nan())
    }

    fn bools(&self, bools: &[bool]) -> Given<Buffer> {
        let bytes: Vec<u8> = bools.iter().map(|&is| u8::from(is)).collect();
        Given::Constant(Buffer::from_bytes(DType::Bool, &[bools.len()], &bytes))
    }

    fn apply(&self, call: &Call, operands: Vec<Given<Buffer>>) -> Result<Staged, Failed> {
        let operands = operands.into_iter().map(|operand| self.operand_of(operand)).collect();
        Ok(operands::stage(self.tracing(), &operands::apply(self.py(), call, operands)?))
    }

    fn check(
        &self,
        values: &[ValueId],
        kind: CheckKind,
        pieces: Vec<Text>,
        limit: bool,
    ) -> Result<(), Failed> {
        let check = if limit { checks::check_limit } else { checks::check };
        Ok(check(self.py(), self.tracing(), values, kind, pieces)?)
    }

    fn refuse(&self, diagnostic: Diagnostic) -> Failed {
        Failed::Python(errors::at_call(self.py(), diagnostic))
    }

    fn raise(&self, kind: CheckKind, text: &Py<PyAny>) -> Failed {
        let text = (text.clone_ref(self.py()),);
        Failed::Python(match kind {
            CheckKind::Index => PyIndexError::new_err(text),
            CheckKind::Key => PyKeyError::new_err(text),
            CheckKind::Value
            | CheckKind::Assertion
            | CheckKind::UnboundLocal
            | CheckKind::ZeroDivision
            | CheckKind::Overflow
            | CheckKind::Type
            | CheckKind::Recursion
            | CheckKind::Runtime
            | CheckKind::Argument
            | CheckKind::Name => PyValueError::new_err(text),
        })
    }

    fn message(&self, text: &str) -> Py<PyAny> {
        PyString::new(self.py(), text).into_any().unbind()
    }

    fn message_of(&self, value: &Value) -> Py<PyAny> {
        value.clone_ref(self.py())
    }

    fn pieces(&self, text: &Py<PyAny>, first: usize) -> Result<(Vec<Text>, Vec<Given<Buffer>>), Failed> {
        let (pieces, shown) = messages::message(text.bind(self.py()), first)?;
        Ok((pieces, shown.into_iter().map(given).collect()))
    }
}

impl<'py> PyHost<'py> {
    /// A value of the graph as a tensor object, with value semantics.
    pub fn tensor(&self, staged: Staged) -> PyResult<Bound<'py, PyAny>> {
        operands::tensor(self.py(), Operand::Staged(self.tracing().clone(), staged))
    }

    fn python_list(&self, items: &[Value]) -> PyResult<Bound<'py, PyList>> {
        PyList::new(self.py(), items.iter().map(|item| item.bind(self.py())))
    }
}
