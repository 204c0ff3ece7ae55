//! The table of element types.

/// The classes of element types, as NumPy draws them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `bool`.
    Bool,
    /// Signed and unsigned integers.
    Integer,
    /// Binary floating point.
    Floating,
    /// `bfloat16`, which NumPy counts among no class.
    Brain,
    /// Complex numbers.
    Complex,
    /// Texts and bytes.
    Text,
}

macro_rules! define_dtypes {
    ($($dtype:ident = $name:literal, $class_name:literal, $class:ident;)*) => {
        /// An element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum DType {
            $(#[doc = concat!("`", $name, "`")] $dtype,)*
        }

        impl DType {
            /// Every element type.
            pub const ALL: &'static [DType] = &[$(DType::$dtype),*];

            /// Returns the name, as it is printed in a type.
            pub fn name(self) -> &'static str {
                match self { $(DType::$dtype => $name),* }
            }

            /// Returns the name of NumPy's scalar class.
            pub fn class_name(self) -> &'static str {
                match self { $(DType::$dtype => $class_name),* }
            }

            /// Returns the class of the element type.
            pub fn class(self) -> Class {
                match self { $(DType::$dtype => Class::$class),* }
            }
        }
    };
}

define_dtypes! {
    Bool = "bool", "bool", Bool;
    Int8 = "int8", "int8", Integer;
    Int16 = "int16", "int16", Integer;
    Int32 = "int32", "int32", Integer;
    Int64 = "int64", "int64", Integer;
    UInt8 = "uint8", "uint8", Integer;
    UInt16 = "uint16", "uint16", Integer;
    UInt32 = "uint32", "uint32", Integer;
    UInt64 = "uint64", "uint64", Integer;
    Float16 = "float16", "float16", Floating;
    Float32 = "float32", "float32", Floating;
    Float64 = "float64", "float64", Floating;
    BFloat16 = "bfloat16", "bfloat16", Brain;
    Complex64 = "complex64", "complex64", Complex;
    Complex128 = "complex128", "complex128", Complex;
    Str = "str", "str_", Text;
}

impl DType {
    /// Returns the element type of the name `name`.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.iter().copied().find(|dtype| dtype.name() == name)
    }

    /// Tells if values of the element type can be added up.
    pub fn is_numeric(self) -> bool {
        match self.class() {
            Class::Integer | Class::Floating | Class::Brain | Class::Complex => true,
            Class::Bool | Class::Text => false,
        }
    }
}
