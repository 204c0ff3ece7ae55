//! The tables by which features reach what is built on them, filled when the module is made: what is called in place of a
//! callable, what is an operand, what tapes record, what objects of this package stand for.

use pyo3::prelude::*;

use crate::containers::lists;
use crate::dependencies::Given;
use crate::function::Function;
use crate::function::bound::BoundFunction;
use crate::host::operands;
use crate::iteration::generators::Generator;
use crate::iteration::withs::Manager;
use crate::operators::object::Operators;
use crate::operators::{self, builtins};
use crate::optional::{self, maybe_structure, poison};
use crate::session::conv::{self, Conversion};
use crate::session::own_functions;
use crate::session::stand_ins::{self, StandIn};
use crate::tape::{self, recording};

/// Fills all tables.
pub fn connect(py: Python<'_>) {
    conv::register(Conversion { conv: builtins::conv, meaning: builtins::meaning });
    operands::register(vec![
        operators::names::LEAF_KIND,
        optional::LEAF_KIND,
        lists::LEAF_KIND,
        poison::LEAF_KIND,
        maybe_structure::LEAF_KIND,
    ]);
    recording::register(tape::RECORDER);
    own_functions::register(py, py.get_type::<Function>(), py.get_type::<BoundFunction>());
    stand_ins::register(py, held_by_stand_ins(py));
}

/// The classes of objects that stand for objects of the program.
fn held_by_stand_ins(py: Python<'_>) -> Vec<StandIn> {
    vec![
        StandIn::new::<Operators>(py, None, |_, _| Vec::new()),
        StandIn::new::<Given>(py, None, |given, py| vec![given.own(py)]),
        StandIn::new::<Generator>(py, None, |generator, py| vec![generator.plain(py).clone()]),
        StandIn::new::<Manager>(py, Some("the manager"), |manager, py| manager.parts(py)),
        StandIn::new::<Function>(py, None, |function, py| vec![function.python_function(py)]),
    ]
}
