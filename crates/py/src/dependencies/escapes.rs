//! Objects of the world that a function puts where its text does not follow them: into a container or an object that it makes,
//! into a closure, an exception, a constructor. What the code that it can reach may read of them by its names is guarded.

use std::collections::{BTreeSet, HashSet, VecDeque};

use gw_lower::Step;
use gw_syntax::Name;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyDict, PyFunction, PyModule, PyString, PyTuple, PyType, PyWeakrefMethods, PyWeakrefReference,
};

use crate::dependencies::classes::class_of;
use crate::dependencies::guards::{Readable, is_literal, is_staged};
use crate::dependencies::{Way, is_ours, is_structure, values};
use crate::effects::attributes::own;
use crate::session::own_functions::{is_graph_function, undecorated};
use crate::session::{Tracing, libraries};

/// So many functions are searched for names.
const MOST_FUNCTIONS: usize = 500;

/// So many objects are looked into, those that escape first before others: libraries hold one another in large numbers.
const MOST_ESCAPED: usize = 256;

/// So many items of a container are looked at.
const MOST_ITEMS: usize = 4096;

impl Readable {
    /// Searches the functions that were met since the last time.
    fn search(&mut self, py: Python<'_>) -> PyResult<()> {
        let met = std::mem::take(&mut self.met);
        let mut waiting: VecDeque<_> = met.into_iter().map(|one| one.into_bound(py)).collect();
        while let Some(object) = waiting.pop_front() {
            if self.searched.len() >= MOST_FUNCTIONS || !self.searched.insert(object.as_ptr() as usize) {
                continue;
            }
            if let Ok(function) = object.cast::<PyFunction>() {
                self.function(function, &mut waiting)?;
            } else if let Ok(class) = object.cast::<PyType>() {
                members(class, &mut waiting)?;
            }
        }
        Ok(())
    }

    /// The names that the code has of what an object or its class holds.
    fn of(&self, object: &Bound<'_, PyAny>) -> PyResult<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        let mut add = |names: &Bound<'_, PyAny>| {
            for name in names.try_iter()? {
                if let Ok(name) = name?.cast::<PyString>()
                    && self.names.contains(&*name.to_string_lossy())
                {
                    found.insert(name.to_string());
                }
            }
            Ok::<_, PyErr>(())
        };
        if let Some(own) = own(object) {
            add(&own)?;
        }
        let class = object.cast::<PyType>().map_or_else(|_| object.get_type(), Clone::clone);
        for base in class.mro() {
            add(&base.getattr(intern!(object.py(), "__dict__"))?)?;
        }
        Ok(found)
    }

    fn function<'py>(
        &mut self,
        function: &Bound<'py, PyFunction>,
        waiting: &mut VecDeque<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let py = function.py();
        let globals = function.getattr(intern!(py, "__globals__"))?.cast_into::<PyDict>()?;
        let code = function.getattr(intern!(py, "__code__"))?;
        let class = code.get_type();
        let mut codes = vec![code];
        while let Some(code) = codes.pop() {
            for name in code.getattr(intern!(py, "co_names"))?.try_iter()? {
                let name = name?;
                if let Some(value) = globals.get_item(&name)? {
                    found(value, waiting)?;
                }
                self.names.insert(name.to_string());
            }
            for constant in code.getattr(intern!(py, "co_consts"))?.try_iter()? {
                let constant = constant?;
                self.texts(&constant);
                codes.extend(constant.get_type().is(&class).then_some(constant));
            }
        }
        let closure = function.getattr(intern!(py, "__closure__"))?;
        if !closure.is_none() {
            for cell in closure.try_iter()? {
                if let Ok(value) = cell?.getattr(intern!(py, "cell_contents")) {
                    found(value, waiting)?;
                }
            }
        }
        Ok(())
    }

    /// Names in texts, which `getattr` and class patterns read.
    fn texts(&mut self, constant: &Bound<'_, PyAny>) {
        if let Ok(text) = constant.cast_exact::<PyString>() {
            self.names.insert(text.to_string());
        } else if let Ok(texts) = constant.cast_exact::<PyTuple>() {
            texts.iter().for_each(|text| self.texts(&text));
        }
    }
}

/// A value that code names: a function or class of the user's is searched, of an object its class.
fn found<'py>(value: Bound<'py, PyAny>, waiting: &mut VecDeque<Bound<'py, PyAny>>) -> PyResult<()> {
    if is_graph_function(&value) {
        waiting.push_back(undecorated(value));
    } else if value.is_instance_of::<PyFunction>() || value.is_instance_of::<PyType>() {
        if libraries::is_users(&value)? {
            waiting.push_back(value);
        }
    } else if !is_literal(&value) && !value.is_instance_of::<PyModule>() {
        let class = value.get_type();
        if libraries::is_users(class.as_any())? {
            waiting.push_back(class.into_any());
        }
    }
    Ok(())
}

/// The functions in a class of the user's and in its bases.
fn members<'py>(class: &Bound<'py, PyType>, waiting: &mut VecDeque<Bound<'py, PyAny>>) -> PyResult<()> {
    let values = class.getattr(intern!(class.py(), "__dict__"))?.call_method0("values")?;
    for value in values.try_iter()?.collect::<PyResult<Vec<_>>>()? {
        for part in ["fget", "fset", "fdel", "__func__"] {
            waiting.extend(value.getattr_opt(part)?.filter(|part| part.is_instance_of::<PyFunction>()));
        }
        waiting.extend(value.is_instance_of::<PyFunction>().then_some(value));
    }
    for base in class.bases() {
        if libraries::is_users(&base)? {
            waiting.push_back(base);
        }
    }
    Ok(())
}

/// True of a `types.SimpleNamespace`, whose comparisons and text read all that it holds.
fn is_namespace(object: &Bound<'_, PyAny>) -> bool {
    let name = object.get_type().fully_qualified_name();
    name.is_ok_and(|name| name == "types.SimpleNamespace")
}

impl Tracing {
    /// Guards what may be read of the objects in a container, however deep, that is used as a whole: a method, an operator or a
    /// function of Python's own may hand them on or call their special methods.
    pub(super) fn items_escape(&self, way: &Way<'_>) -> PyResult<()> {
        let mut waiting = VecDeque::from([(way.object.clone(), way.path.clone())]);
        let mut seen = HashSet::new();
        while let Some((object, path)) = waiting.pop_front() {
            if !seen.insert(object.as_ptr() as usize) || seen.len() > MOST_ITEMS {
                continue;
            }
            let inside = format!("{path}[…]");
            if let Ok(reference) = object.cast::<PyWeakrefReference>() {
                waiting.extend(reference.upgrade().map(|object| (object, path)));
            } else if let Ok(function) = object.cast::<PyFunction>() {
                // Others are met where they are called.
                if way.native && libraries::is_users(&object)? {
                    self.met_run(function, &[])?;
                }
            } else if is_namespace(&object)
                && let Some(own) = own(&object)
            {
                self.contents_of(own.clone().into_any(), path.clone())?;
                waiting.push_back((own.into_any(), path));
            } else if is_structure(&object) {
                waiting.extend(
                    values(&object).into_iter().filter(|v| !is_literal(v)).map(|v| (v, inside.clone())),
                );
            } else {
                self.escapes(&way.to(object, path))?;
            }
        }
        Ok(())
    }

    /// Guards what may be read of an object of the user's by a way that no text shows.
    pub(super) fn escapes(&self, way: &Way<'_>) -> PyResult<()> {
        let (py, object) = (way.object.py(), &way.object);
        let is_other = is_literal(object)
            || is_staged(object)
            || is_structure(object)
            || object.is_instance_of::<PyFunction>()
            || object.is_instance_of::<PyModule>();
        if way.keyed || is_other || is_ours(object) || !libraries::is_users(class_of(object).as_any())? {
            return Ok(());
        }
        if !self.recorder().first(object, intern!(py, "what escapes").as_any()) {
            return Ok(());
        }
        self.recorder().readable.escaped += 1;
        if self.recorder().readable.escaped > MOST_ESCAPED {
            return Ok(());
        }
        self.recorder().readable.met.push(class_of(object).into_any().unbind());
        self.recorder().readable.search(py)?;
        let names = self.recorder().readable.of(object)?;
        for name in names {
            let way = way.to(object.clone(), way.path.clone());
            self.follow(way, &[Step::Attribute(Name::from(&*name))])?;
        }
        Ok(())
    }
}
