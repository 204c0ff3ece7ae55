//! A whole function as the body of a `try`, for what its graph cannot raise itself: exceptions of classes of the user's
//! own, with a cause or with arguments other than a text, and whatever is raised after an argument or a variable got
//! something else, which stands in Python. The graph gives the number of the exception and the values that it shows, and who runs
//! the graph raises it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use gw_base::Loc;
use gw_ir::{Attr, Literal, NodeId, Op, ValueId};
use gw_trace::{Attempt, Choosing, Fails, Host, Slot, Staged, State, try_};
use gw_types::{DType, Scalar};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::catcher::{Catcher, Scope};
use super::handlers::{Caught, Thrown};
use super::raise_points::Tries;
use super::raises::{Form, Raises};
use super::{Value, choosing};
use crate::effects::location::Location;
use crate::effects::places::Places;
use crate::effects::snapshot::{self, Objects};
use crate::effects::surroundings::{Flowing, with_lists};
use crate::exceptions::errors::{self, Failed};
use crate::host::skeleton::Skeleton;
use crate::host::{PyHost, operands};
use crate::operators::{self, python_print};
use crate::optional::maybe::{Maybe, unbound};
use crate::session::Tracing;
use crate::values::cell::Origin;
use crate::values::tensor::Tensor;

/// Result of a call, and the exceptions that are raised in its place.
type Called<'py> = (Bound<'py, PyAny>, Option<(Raises, Vec<ValueId>)>);

/// The world around a function that is traced.
pub struct World<'a, 'py> {
    /// True if places of it hold values of the graph.
    pub stores: &'a dyn Fn() -> PyResult<bool>,
    /// True of an object that belongs to it.
    pub holds: &'a dyn Fn(&Bound<'py, PyAny>) -> bool,
    /// The place of the function in the user's text.
    pub place: &'a dyn Fn() -> Option<Loc>,
}

/// Calls a function that is traced; `tensors` are those among its arguments, with the parameters that they are. Where `tracing`
/// says so, exceptions are results of the graph; otherwise `tracing` is told if they have to be.
pub fn of_function<'py>(
    py: Python<'py>,
    tracing: &Arc<Tracing>,
    tensors: Vec<(Py<Tensor>, ValueId)>,
    call: &dyn Fn() -> PyResult<Bound<'py, PyAny>>,
    world: &World<'_, 'py>,
) -> PyResult<Called<'py>> {
    let places = Arc::new(Places::Cells(Vec::new()));
    let make = |records| {
        let tensors = tensors.iter().map(|(tensor, value)| (tensor.clone_ref(py), *value)).collect();
        Catcher::new(tracing, Scope::Function(tensors), records, places.clone())
    };
    if tracing.tries().catches_all() {
        let mut spots = tracing.tries().spots.all();
        spots.retain(|spot| !tracing.tries().spots.flows(spot));
        let changes = Changes { spots, lists: tracing.tries().spots.lists(py), holds: world.holds };
        let whole = Whole::new(py, tracing, &tensors, changes, call, &make)?;
        return Whole { host: whole.host.at((world.place)()), ..whole }.of_graph(py);
    }
    let looks = make(false);
    let caught = Caught::new(py, tracing);
    let outcome = Tries::within(tracing, &looks, || {
        let outcome = call();
        if let Err(error) = &outcome
            && (tracing.raises().is_some()
                || looks.has_changed(tracing)
                || acts(tracing)
                || (world.stores)()?
                || holds_values(error, py)?)
        {
            // Python raises it after all that; false is the answer for what is not the program's own.
            caught.raised(error, true)?;
        }
        outcome
    });
    if looks.is_needed() {
        tracing.tries().need_all();
    } else {
        tracing.printed().keep(looks.printed());
    }
    Ok((outcome?, None))
}

/// The result of a function where it raises nothing: a part that may lack its value has it there, and is asked for it there alone.
fn settled(returned: &Bound<'_, PyAny>) -> PyResult<Value> {
    let (py, mut leaves) = (returned.py(), Vec::new());
    let skeleton = Skeleton::of(returned, &mut leaves)?;
    let settle = |leaf: Py<PyAny>| match Maybe::unbound(leaf.bind(py)) {
        Some(maybe) => operators::read(py, maybe).map(Bound::unbind),
        None => Ok(leaf),
    };
    if !leaves.iter().any(|leaf| Maybe::unbound(leaf.bind(py)).is_some()) {
        return Ok(Arc::new(returned.clone().unbind()));
    }
    let leaves = leaves.into_iter().map(settle).collect::<PyResult<Vec<_>>>()?;
    Ok(Arc::new(skeleton.rebuild(py, &mut leaves.into_iter())?.unbind()))
}

/// True if an exception has values of the graph among its arguments and attributes. A text that shows one is not among them.
fn holds_values(error: &PyErr, py: Python<'_>) -> PyResult<bool> {
    let mut leaves = Vec::new();
    let parts = PyTuple::new(py, [error.value(py).getattr("args")?, error.value(py).getattr("__dict__")?])?;
    let is_value = |leaf: &Py<PyAny>| leaf.bind(py).cast::<Tensor>().is_ok_and(|leaf| leaf.get().is_staged());
    // An object that cannot be taken apart holds none that the graph could give.
    Ok(Skeleton::of(parts.as_any(), &mut leaves).is_ok() && leaves.iter().any(is_value))
}

/// True if the graph prints, calls the host or may raise.
fn acts(tracing: &Tracing) -> bool {
    let acts = |op: Op| op.is_of_host();
    tracing.trace.build(|b| b.graph().nodes.iter().any(|(_, node)| acts(node.op)))
        || tracing.tries().may_raise(tracing)
}

/// Changes of a function around it.
pub struct Changes<'a, 'py> {
    /// The places.
    spots: Vec<Arc<Location>>,
    /// The lists.
    lists: Vec<Flowing>,
    /// True of an object that was there before the function began.
    holds: &'a dyn Fn(&Bound<'py, PyAny>) -> bool,
}

impl Changes<'_, '_> {
    /// Nothing, as in a function of the graph.
    pub fn none() -> Self {
        Self { spots: Vec::new(), lists: Vec::new(), holds: &|_| true }
    }
}

/// The state of a function: what it returns, the number of what it raises, what its arguments and the places around it
/// hold, and the variables that the graph has met.
pub struct Whole<'a, 'py> {
    host: PyHost<'py>,
    call: &'a dyn Fn() -> PyResult<Bound<'py, PyAny>>,
    make: &'a dyn Fn(bool) -> Arc<Catcher>,
    tensors: &'a [(Py<Tensor>, ValueId)],
    changes: Changes<'a, 'py>,
    /// The objects that the function made and stored into the places.
    made: RefCell<Vec<Bound<'py, PyAny>>>,
    caught: Caught<'py>,
    returns: RefCell<Value>,
    number: RefCell<Value>,
    /// Return value on paths that do not raise.
    returned: RefCell<Option<Value>>,
    raised: RefCell<Vec<(Thrown, Option<ValueId>)>>,
    /// The places of the exits, by numbers.
    places: RefCell<Vec<Option<Loc>>>,
    /// True if exceptions of several places are told apart by their numbers alone.
    tells_places: Cell<bool>,
}

/// Outcome of a function.
pub struct Outcome<'py> {
    /// The number of what it raises, or 0.
    pub number: ValueId,
    /// Exceptions that it may raise, in the order of their numbers, which begin with 1.
    pub raised: Vec<(Thrown, Option<ValueId>)>,
    /// The places by the numbers of which these say where they are raised.
    pub places: Vec<Option<Loc>>,
    /// Return value where it raises nothing, if there is such a path.
    pub returned: Option<Bound<'py, PyAny>>,
}

impl<'a, 'py> Whole<'a, 'py> {
    /// Of a function that is called by `call`, with these tensors among its arguments, which makes these changes.
    pub fn new(
        py: Python<'py>,
        tracing: &Arc<Tracing>,
        tensors: &'a [(Py<Tensor>, ValueId)],
        changes: Changes<'a, 'py>,
        call: &'a dyn Fn() -> PyResult<Bound<'py, PyAny>>,
        make: &'a dyn Fn(bool) -> Arc<Catcher>,
    ) -> PyResult<Self> {
        let zero = 0i64.into_pyobject(py)?.into_any().unbind();
        Ok(Self {
            host: PyHost::new(py, tracing.clone()),
            call,
            make,
            tensors,
            changes,
            made: RefCell::default(),
            caught: Caught::new(py, tracing),
            returns: RefCell::new(Arc::new(unbound(py)?.unbind())),
            number: RefCell::new(Arc::new(zero)),
            returned: RefCell::default(),
            raised: RefCell::default(),
            places: RefCell::default(),
            tells_places: Cell::new(false),
        })
    }

    /// Traces it.
    pub fn traced(self, py: Python<'py>) -> PyResult<Outcome<'py>> {
        let tracing = self.caught.tracing.clone();
        let mut slots = vec![Slot::Returned, Slot::Exception];
        slots.extend(self.tensors.iter().map(|_| Slot::Contents));
        slots.extend(self.changes.spots.iter().map(|spot| tracing.tries().spots.slot(spot, py)));
        with_lists(&self.host, &self.changes.lists, &slots, &self, &|slots, state| {
            try_(&self.host, slots, state, &self)
        })?;
        let number = operands::stage(&tracing, &operands::operand(self.number.borrow().bind(py))?);
        let cast = tracing.trace.build(|b| b.op(Op::Cast, Attr::To(DType::I64), &[number.value]));
        Ok(Outcome {
            number: cast.map_err(|unfit| errors::unfit(py, unfit))?,
            raised: self.raised.into_inner(),
            places: self.places.into_inner(),
            returned: self.returned.into_inner().map(|value| value.bind(py).clone()),
        })
    }

    /// The number of the place of an exit, as a value of the graph.
    fn place(&self, exit: usize) -> PyResult<Bound<'py, PyAny>> {
        let (place, mut all) = (self.caught.place(exit), self.places.borrow_mut());
        let at = all.iter().position(|known| *known == place).unwrap_or_else(|| {
            all.push(place);
            all.len() - 1
        });
        let tracing = &self.caught.tracing;
        let number = tracing.trace.build(|b| b.constant(Literal::scalar(DType::I64, Scalar::Int(at as i64))));
        Ok(Bound::new(self.host.py(), Tensor::staged(tracing.clone(), Staged::strong(number)))?.into_any())
    }

    fn of_graph(self, py: Python<'py>) -> PyResult<Called<'py>> {
        let Outcome { number, raised, places, returned } = self.traced(py)?;
        let mut values = vec![number];
        let form = |((error, place), told): (Thrown, Option<ValueId>)| {
            Form::of(error.bind(py), (place, told), &mut values)
        };
        let forms = raised.into_iter().map(form).collect::<PyResult<_>>()?;
        let raises = Raises { forms, places };
        let returned = returned.unwrap_or_else(|| py.None().into_bound(py));
        Ok((returned, Some((raises, values))))
    }
}

impl<'py> State<PyHost<'py>> for Whole<'_, 'py> {
    fn get(&self) -> Result<Vec<Value>, Failed> {
        let mut values = vec![self.returns.borrow().clone(), self.number.borrow().clone()];
        for (tensor, _) in self.tensors {
            Python::attach(|py| {
                let content = Tensor::of(tensor.get().content()).with(Origin::Content);
                values.push(Arc::new(Py::new(py, content)?.into_any()));
                Ok::<_, PyErr>(())
            })?;
        }
        for spot in &self.changes.spots {
            values.push(Arc::new(Python::attach(|py| spot.get(py).map(Bound::unbind))?));
        }
        values.extend(self.host.own_state()?);
        Ok(values)
    }

    fn set(&self, values: &[Value]) -> Result<(), Failed> {
        self.returns.replace(values[0].clone());
        self.number.replace(values[1].clone());
        let (contents, places) = values[2..].split_at(self.tensors.len());
        let (places, variables) = places.split_at(self.changes.spots.len());
        Python::attach(|py| {
            for ((tensor, _), content) in self.tensors.iter().zip(contents) {
                if let Ok(content) = content.bind(py).cast::<Tensor>() {
                    tensor.get().cell().replace(content.get().content());
                }
            }
            self.changes.spots.iter().zip(places).try_for_each(|(spot, value)| spot.set(value.bind(py)))
        })?;
        self.host.set_own_state(variables)
    }
}

impl<'py> Attempt<PyHost<'py>> for Whole<'_, 'py> {
    fn body(&self) -> Result<bool, Failed> {
        let catcher = (self.make)(true);
        self.caught.begin(catcher.clone());
        let ended = Tries::within(&self.caught.tracing, &catcher, || match (self.call)() {
            Ok(returned) => {
                self.returns.replace(Arc::new(returned.unbind()));
                Ok(true)
            }
            Err(error) if self.caught.raised(&error, true)? => Ok(false),
            Err(error) => Err(error),
        });
        Python::attach(|py| python_print::later(py, catcher.printed()))?;
        Ok(ended?)
    }

    fn exits(&self) -> Vec<(NodeId, Fails)> {
        self.tells_places.set(self.caught.has_alike_elsewhere());
        self.caught.nodes()
    }

    fn replay(&self, exit: usize) -> Result<(), Failed> {
        let nothing = Python::attach(|py| unbound(py).map(Bound::unbind))?;
        self.returns.replace(Arc::new(nothing));
        Ok(self.caught.replay(exit, &Places::Cells(Vec::new()))?)
    }

    fn shown(&self, exit: usize) -> Result<Value, Failed> {
        let shown = self.caught.shown(exit)?;
        let place = if self.tells_places.get() { Some(self.place(exit)?) } else { None };
        Ok(Arc::new((shown, place).into_pyobject(self.host.py())?.into_any().unbind()))
    }

    fn same(&self, exit: usize, other: usize) -> bool {
        self.caught.same(exit, other)
    }

    fn simplify(&self) {
        self.caught.simplify();
    }

    fn uncaught(&self, exit: usize) -> Failed {
        self.caught.uncaught(exit)
    }

    // Objects that the function made go with it, but for those that it returns and that the places hold.
    fn objects(&self) -> Result<Value, Failed> {
        let py = self.host.py();
        let held = self.changes.spots.iter().map(|spot| spot.get(py)).collect::<PyResult<Vec<_>>>()?;
        let objects = Objects::of(&PyTuple::new(py, held)?, &|object| !(self.changes.holds)(object))?;
        self.made.borrow_mut().extend(objects.made());
        Ok(Arc::new(objects.taken()?.into_any().unbind()))
    }

    fn give(&self, objects: &Value) -> Result<(), Failed> {
        Ok(snapshot::give(objects.bind(self.host.py()))?)
    }

    fn choosing(
        &self,
        state: &dyn State<PyHost<'py>>,
        slots: &[Slot],
        choose: Choosing<'_, PyHost<'py>>,
    ) -> Result<(), Failed> {
        choosing(&self.host, self.made.take(), (state, slots), choose)
    }

    fn go_on(&self, raised: Option<(usize, &Value)>) -> Result<(), Failed> {
        let nothing = Python::attach(|py| unbound(py).map(Bound::unbind))?;
        let returned = self.returns.replace(Arc::new(nothing));
        let Some((exit, shown)) = raised else {
            self.returned.replace(Some(Python::attach(|py| settled(returned.bind(py)))?));
            return Ok(());
        };
        Python::attach(|py| {
            let shown = shown.bind(py).cast::<PyTuple>().map_err(PyErr::from)?;
            let thrown = self.caught.error(exit, &shown.get_item(0)?)?;
            let place = shown.get_item(1)?;
            let place = (!place.is_none()).then(|| operands::operand(&place)).transpose()?;
            let place = place.map(|place| operands::stage(&self.caught.tracing, &place).value);
            let mut all = self.raised.borrow_mut();
            all.push((thrown, place));
            let number = all.len().into_pyobject(py).map_err(PyErr::from)?;
            self.number.replace(Arc::new(number.into_any().unbind()));
            Ok(())
        })
    }
}
