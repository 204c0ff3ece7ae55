//! The laws: each is a function that finds what breaks it, a test, and an `**Invariant** [name]` in `docs/design/invariants.md`.

mod cycles;
mod floors;
mod pages;
mod size;
mod walls;
mod words;

#[cfg(test)]
mod broken;

use crate::house::House;

pub use cycles::{arrows, largest_cycle};

/// A law of the house.
pub struct Law {
    /// Its name as that of its test.
    pub name: &'static str,
    /// Function that finds violations, one line each, with the place.
    pub find: fn(&House) -> Vec<String>,
}

impl Law {
    /// Its name as the page of the invariants writes it.
    pub fn label(&self) -> String {
        self.name.replace('_', "-")
    }
}

macro_rules! laws {
    ($($room:ident { $($name:ident)* })*) => {
        /// Every law, in the order of the list below.
        pub const LAWS: &[Law] = &[$($(Law { name: stringify!($name), find: $room::$name },)*)*];

        #[cfg(test)]
        mod tests {
            $($(
                #[test]
                fn $name() {
                    super::obey(super::$room::$name);
                }
            )*)*
        }
    };
}

laws! {
    floors {
        nobody_looks_upstairs
        rooms_inherit_the_workspace
        no_room_for_odds_and_ends
        kernels_know_no_graph
        lower_never_imports_ir
        trace_knows_no_host_language
        meaning_knows_no_backend
    }
    walls {
        one_file_names_ruff
        py_alone_names_pyo3
        jit_alone_names_cranelift
        one_folder_opens_libraries
    }
    words {
        no_wildcard_over_ops
        ir_alone_lists_ops
        unsafe_keeps_to_its_rooms
        unsafe_says_why_it_is_safe
        doors_alone_print
        config_alone_reads_the_environment
        runtime_alone_spawns
        kernels_never_allocate
        analysis_never_edits
    }
    cycles {
        import_cycles_only_shrink
    }
    size {
        no_file_is_long
        no_function_is_long
        folders_are_small
        every_file_says_its_purpose
    }
    pages {
        every_op_has_a_page
        stubs_follow_tables
        figures_follow_sources
        every_diagnostic_has_a_page
        every_rule_has_a_page
        every_operator_is_provided
        every_invariant_has_a_test
        every_law_is_an_invariant
    }
}

#[cfg(test)]
fn obey(find: fn(&House) -> Vec<String>) {
    use std::sync::OnceLock;
    static HOUSE: OnceLock<House> = OnceLock::new();
    let house = HOUSE.get_or_init(|| House::read(&crate::house::root()).expect("the repository can be read"));
    let complaints = find(house);
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
