//! Names of values in the text.

use rustc_hash::FxHashMap;

use gw_base::Id;

use crate::{Graph, ValueId};

/// Names given so far.
pub(super) struct Names {
    of: Vec<Option<String>>,
    copies: FxHashMap<String, u32>,
    number: u32,
}

impl Names {
    pub(super) fn new(graph: &Graph) -> Self {
        Self { of: vec![None; graph.values.len()], copies: FxHashMap::default(), number: 0 }
    }

    /// Names a value: the user's name, numbered where it is taken, or the next number.
    pub(super) fn give(&mut self, value: ValueId, name: Option<&str>) -> String {
        let text = match name.filter(|name| is_name(name)) {
            Some(name) => self.copy_of(name),
            None => {
                self.number += 1;
                self.number.to_string()
            }
        };
        self.share(value, &text);
        text
    }

    /// Gives a value a name that another value has.
    pub(super) fn share(&mut self, value: ValueId, text: &str) {
        self.of[value.index()] = Some(text.to_owned());
    }

    /// The name of a value; a value that is not defined yet shows as `?`.
    pub(super) fn of(&self, value: ValueId) -> &str {
        self.of.get(value.index()).and_then(Option::as_deref).unwrap_or("?")
    }

    fn copy_of(&mut self, name: &str) -> String {
        let copies = self.copies.entry(name.to_owned()).or_insert(0);
        *copies += 1;
        if *copies == 1 { name.to_owned() } else { format!("{name}.{copies}") }
    }
}

/// True if the text form can show this name as it is: a Python identifier.
pub(super) fn is_name(text: &str) -> bool {
    let word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    word && text.chars().next().is_some_and(|c| !c.is_numeric())
}

/// The user's name behind the name in the text, if it is not a number.
pub(super) fn users_name(text: &str) -> Option<&str> {
    let name = text.split_once('.').map_or(text, |(name, _copy)| name);
    is_name(name).then_some(name)
}
