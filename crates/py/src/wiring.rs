//! The tables by which features reach what is built on them, filled when the module is made: what is called in place of a
//! callable, what is an operand, what tapes record, what objects of this package stand for.

use pyo3::prelude::*;

use crate::bound::BoundFunction;
use crate::conv::{self, Conversion};
use crate::function::Function;
use crate::generators::Generator;
use crate::operators::object::Operators;
use crate::optional;
use crate::reached::Given;
use crate::stand_ins::{self, StandIn};
use crate::withs::Manager;
use crate::{builtins, lists, maybe_structure, operators, own_functions, pack, recording, tape, unclear};

/// Fills all tables.
pub fn connect(py: Python<'_>) {
    conv::register(Conversion { conv: builtins::conv, meaning: builtins::meaning });
    pack::register(vec![
        operators::names::LEAF_KIND,
        optional::LEAF_KIND,
        lists::LEAF_KIND,
        unclear::LEAF_KIND,
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
