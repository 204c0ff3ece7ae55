//! Sets of names.

use std::collections::BTreeSet;

use gw_syntax::Name;

/// Names in the order of the alphabet.
pub type NameSet = BTreeSet<Name>;
