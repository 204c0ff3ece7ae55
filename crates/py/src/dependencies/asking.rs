//! Functions of the user's that Python itself calls while a graph is built, as a tracing knows them: those that ask what answers
//! differently each time.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyFunction};

use crate::session::{Feature, FeatureSlot, Tracing};

/// Knowledge of such functions, of one tracing.
#[derive(Debug, Default)]
pub struct Natively {
    /// By the addresses of their code.
    pub known: Mutex<HashMap<usize, Asking>>,
    /// The addresses of the code inside, each with that of the function.
    pub inside: Mutex<HashMap<usize, usize>>,
    /// The functions whose texts are being followed, the innermost last.
    pub followed: Mutex<Vec<Py<PyFunction>>>,
    /// The addresses of the code of those whose text leads to one that asks.
    pub leading: Mutex<HashSet<usize>>,
    /// Functions whose results `functools.cache` keeps, with how many they had computed.
    pub cached: Mutex<Vec<(Py<PyAny>, usize)>>,
}

impl Feature for Natively {
    fn slot() -> FeatureSlot {
        FeatureSlot::Natively
    }
}

impl Tracing {
    /// The functions that Python itself calls and that ask what differs.
    pub fn natively(&self) -> &Natively {
        self.feature()
    }
}

/// A function that asks what answers differently each time.
#[derive(Debug)]
pub struct Asking {
    /// Function that asks.
    pub function: Py<PyFunction>,
    /// Keeps the address.
    pub _code: Py<PyAny>,
    /// As its text says it.
    pub asks: String,
    /// True if whoever runs it may ask; else it asks where it calls a function that answers differently each time.
    pub always: bool,
    /// The addresses of the code of such functions that Python's text makes.
    pub calls: HashSet<usize>,
    /// True once it did, outside of branches and loops.
    pub has_asked: bool,
}

impl Natively {
    /// True once any is known.
    pub fn is_used(&self) -> bool {
        !lock(&self.known).is_empty()
    }

    /// Lambdas and comprehensions in a function ask for it.
    pub fn look_inside(&self, code: &Bound<'_, PyAny>, function: usize) -> PyResult<()> {
        for constant in code.getattr(intern!(code.py(), "co_consts"))?.try_iter()? {
            let constant = constant?;
            if constant.get_type().is(code.get_type()) {
                lock(&self.inside).insert(constant.as_ptr() as usize, function);
                self.look_inside(&constant, function)?;
            }
        }
        Ok(())
    }
}

impl Asking {
    /// Its text reads one more object that answers differently each time.
    pub fn learn(&mut self, object: &Bound<'_, PyAny>, is_called: bool) -> PyResult<()> {
        if !is_called {
            // Functions of Python's own may call what they are given, which nobody sees.
            self.always = true;
            return Ok(());
        }
        let method = object.getattr_opt(intern!(object.py(), "__func__"))?;
        let function = method.as_ref().unwrap_or(object);
        if function.is_instance_of::<PyFunction>() {
            self.calls.insert(code_of(function)?.as_ptr() as usize);
        } else if !function.is_instance_of::<PyCFunction>() {
            self.always = true;
        }
        Ok(())
    }
}

/// The code object of a function.
pub fn code_of<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    function.getattr(intern!(function.py(), "__code__"))
}

/// The contents of a mutex, whatever happened to its other holders.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
