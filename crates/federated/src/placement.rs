//! The table of placements.

macro_rules! define_placements {
    ($($(#[$doc:meta])* $placement:ident = $name:literal, $uri:literal, $all_equal:literal, $description:literal;)*) => {
        /// Placement of a federated value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Placement {
            $($(#[$doc])* $placement,)*
        }

        impl Placement {
            /// Every placement.
            pub const ALL: &'static [Placement] = &[$(Placement::$placement),*];

            /// Returns the name that is printed in types and blocks.
            pub fn name(self) -> &'static str {
                match self { $(Placement::$placement => $name),* }
            }

            /// Returns the name that the program and its serialised form use.
            pub fn uri(self) -> &'static str {
                match self { $(Placement::$placement => $uri),* }
            }

            /// Tells if values are all equal at this placement where a type does not say so.
            pub fn default_all_equal(self) -> bool {
                match self { $(Placement::$placement => $all_equal),* }
            }

            /// Returns one sentence about the placement.
            pub fn description(self) -> &'static str {
                match self { $(Placement::$placement => $description),* }
            }
        }
    };
}

define_placements! {
    /// All client devices.
    Clients = "CLIENTS", "clients", false, "The collective of all client devices.";
    /// The coordinator.
    Server = "SERVER", "server", true, "The single top-level central coordinator.";
}

impl Placement {
    /// Returns the placement of the name `uri`.
    pub fn from_uri(uri: &str) -> Option<Placement> {
        Placement::ALL.iter().copied().find(|placement| placement.uri() == uri)
    }
}
