//! The macro that makes enums and rows of the op table.

macro_rules! define_ops {
    (@row $class:ident $text:literal $operands:tt $takes:ident $exact:ident $cost:ident $verb:literal) => {
        &const {
            Row {
                text: $text,
                clauses: [
                    concat!($text, ".c0"),
                    concat!($text, ".c1"),
                    concat!($text, ".c2"),
                    concat!($text, ".c3"),
                    concat!($text, ".c4"),
                    concat!($text, ".c5"),
                ],
                class: Class::$class,
                arity: define_ops!(@arity $operands),
                operands: define_ops!(@operands $operands),
                takes: Takes::$takes,
                exact: Exact::$exact,
                cost: Cost::$cost,
                verb: $verb,
            }
        }
    };
    (@arity ($($operand:ident),*)) => {{
        const NAMES: &[&str] = &[$(stringify!($operand)),*];
        Arity::Exactly(NAMES.len())
    }};
    (@arity ($($operand:ident),*; $rest:ident)) => {{
        const NAMES: &[&str] = &[$(stringify!($operand)),*];
        Arity::AtLeast(NAMES.len())
    }};
    (@operands ($($operand:ident),*)) => { &[$(stringify!($operand)),*] };
    (@operands ($($operand:ident),*; $rest:ident)) => { &[$(stringify!($operand),)* stringify!($rest)] };
    (
        $($(#[$group_doc:meta])* $group:ident($ty:ident) $class:ident {
            $($(#[$doc:meta])* $name:ident = $text:literal $operands:tt $takes:ident $exact:ident $cost:ident $verb:literal;)*
        })*
        ---
        $($own_class:ident {
            $($(#[$own_doc:meta])* $own:ident = $own_text:literal $own_operands:tt $own_takes:ident $own_exact:ident $own_cost:ident $own_verb:literal;)*
        })*
    ) => {
        /// The operations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op {
            $($(#[$group_doc])* $group($ty),)*
            $($($(#[$own_doc])* $own,)*)*
        }

        $(
            $(#[$group_doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub enum $ty { $($(#[$doc])* $name,)* }

            impl $ty {
                /// Every op of the group, in the table's order.
                pub const ALL: &[$ty] = &[$($ty::$name,)*];
            }

            impl From<$ty> for Op {
                fn from(op: $ty) -> Op { Op::$group(op) }
            }
        )*

        impl Op {
            /// Every op, in the table's order.
            pub const ALL: &[Op] = &[$($(Op::$group($ty::$name),)*)* $($(Op::$own,)*)*];

            /// Row of the table for this op.
            pub fn row(self) -> &'static Row {
                match self {
                    $($(Op::$group($ty::$name) => define_ops!(@row $class $text $operands $takes $exact $cost $verb),)*)*
                    $($(Op::$own => define_ops!(@row $own_class $own_text $own_operands $own_takes $own_exact $own_cost $own_verb),)*)*
                }
            }

            /// The op of this name.
            pub fn from_text(text: &str) -> Option<Op> {
                match text {
                    $($($text => Some(Op::$group($ty::$name)),)*)*
                    $($($own_text => Some(Op::$own),)*)*
                    _ => None,
                }
            }
        }
    };
}
