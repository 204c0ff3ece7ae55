//! The contents of modules that code names: everything of the user's, the containers of libraries'.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyModule};

use super::{Known, Walk, libraries, stores};
use crate::effects::watched_container::{Holder, Step};
use crate::session::libraries::is_users_module;

impl<'py> Walk<'py> {
    /// Visits what code names of the user's module that a variable holds.
    pub fn module_in(
        &mut self,
        cell: &Bound<'py, PyAny>,
        code: &Bound<'py, PyAny>,
        path: &str,
    ) -> PyResult<()> {
        let py = cell.py();
        if let Ok(Some(held)) = cell.getattr_opt(intern!(py, "cell_contents"))
            && let Ok(module) = held.cast::<PyModule>()
            && is_users_module(py, &module.name()?.to_string_lossy())?
        {
            let names = code.getattr(intern!(py, "co_names"))?.try_iter()?.collect::<PyResult<Vec<_>>>()?;
            self.names(&names, &module.dict(), &format!("{path}."))?;
        }
        Ok(())
    }

    /// Visits what code names of the user's modules that it imports.
    pub fn imported(&mut self, code: &Bound<'py, PyAny>, names: &[Bound<'py, PyAny>]) -> PyResult<()> {
        let imported = stores::imported(code)?;
        if imported.is_empty() {
            return Ok(());
        }
        let py = code.py();
        let modules =
            py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?.cast_into::<PyDict>()?;
        for name in imported.into_iter().map(|at| &names[at]) {
            if let Some(module) = modules.get_item(name)?
                && let Ok(module) = module.cast::<PyModule>()
                && is_users_module(py, &name.to_string())?
            {
                self.names(names, &module.dict(), &format!("{name}."))?;
            }
        }
        Ok(())
    }

    /// Visits what these names stand for in a module. A name that no source can have, as pytest writes into assertions, is not
    /// of the program.
    pub fn names(
        &mut self,
        names: &[Bound<'py, PyAny>],
        within: &Bound<'py, PyDict>,
        path: &str,
    ) -> PyResult<()> {
        for name in names {
            let key = Known::Global(within.as_ptr() as usize, name.as_ptr() as usize);
            if self.known.contains(&key) {
                continue;
            }
            let Some(value) = within.get_item(name)? else { continue };
            let text = name.to_string();
            if text.starts_with('@') {
                continue;
            }
            self.known.insert(key);
            let path = format!("{path}{text}");
            if let Ok(module) = value.cast::<PyModule>() {
                match is_users_module(name.py(), &module.name()?.to_string_lossy())? {
                    true => self.names(names, &module.dict(), &format!("{path}."))?,
                    false => self.containers(names, &module.dict(), &path)?,
                }
            }
            self.variable(Holder::Global(within.clone(), name.clone()), path)?;
        }
        Ok(())
    }

    /// The containers of a library's module that code names, such as `sys.path`.
    fn containers(
        &mut self,
        names: &[Bound<'py, PyAny>],
        within: &Bound<'py, PyDict>,
        path: &str,
    ) -> PyResult<()> {
        for name in names {
            let Some(value) = within.get_item(name)? else { continue };
            let module: String = value.get_type().getattr("__module__")?.extract().unwrap_or_default();
            if value.is_instance_of::<PyList>()
                || value.is_instance_of::<PyDict>()
                || libraries::is_container(&module)
            {
                self.later(value, format!("{path}.{name}"));
            }
        }
        Ok(())
    }

    /// The globals of a module whose code may change any of them.
    pub fn all_globals(&mut self, globals: &Bound<'py, PyDict>) -> PyResult<()> {
        let path = "globals()";
        self.watch(Holder::Pairs(globals.clone(), Step::Attribute), path.to_owned())?;
        for (key, value) in globals.iter() {
            let name = key.to_string();
            if !stores::MADE_BY_IMPORT.contains(&&*name) {
                self.later(value, format!("{path}.{name}"));
            }
        }
        Ok(())
    }
}
