//! Element types.

use std::fmt;
use std::str::FromStr;

use crate::Text;

/// Kind of value that an element is; kinds are ordered as Python promotes them, and nothing becomes a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Bytes.
    Text,
    /// `False`, `True`
    Bool,
    /// Two's complement, wrapping.
    Int,
    /// IEEE 754.
    Float,
}

impl Kind {
    /// The class of such a value in Python.
    pub fn class_name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Float => "float",
            Kind::Text => "str",
        }
    }

    /// True if a value of this kind is one of another, as `True` is 1 and 1 is 1.0.
    pub fn is_in(self, other: Kind) -> bool {
        (self == Kind::Text) == (other == Kind::Text) && self <= other
    }
}

macro_rules! dtypes {
    ($($(#[$doc:meta])* $name:ident $text:literal $python:literal $kind:ident $size:literal;)*) => {
        /// The element types.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DType { $($(#[$doc])* $name,)* }

        impl DType {
            /// Every element type, in the table's order.
            pub const ALL: &[DType] = &[$(DType::$name,)*];
            /// The name in the graph's text form.
            pub fn text(self) -> &'static str { match self { $(DType::$name => $text,)* } }
            /// The name in Python: `graphwright.NAME`.
            pub fn python_name(self) -> &'static str { match self { $(DType::$name => $python,)* } }
            /// Kind of value that it holds.
            pub fn kind(self) -> Kind { match self { $(DType::$name => Kind::$kind,)* } }
            /// Bytes per element.
            pub fn size(self) -> usize { match self { $(DType::$name => $size,)* } }
        }
    };
}

dtypes! {
    /// One byte, 0 or 1.
    Bool "bool" "bool" Bool 1;
    /// 8-bit integer.
    I8 "i8" "int8" Int 1;
    /// 16-bit integer.
    I16 "i16" "int16" Int 2;
    /// 32-bit integer.
    I32 "i32" "int32" Int 4;
    /// 64-bit integer.
    I64 "i64" "int64" Int 8;
    /// 8-bit integer without a sign.
    U8 "u8" "uint8" Int 1;
    /// 16-bit integer without a sign.
    U16 "u16" "uint16" Int 2;
    /// 32-bit integer without a sign.
    U32 "u32" "uint32" Int 4;
    /// Single precision.
    F32 "f32" "float32" Float 4;
    /// Double precision.
    F64 "f64" "float64" Float 8;
    /// A string of bytes, as a [`Text`].
    Str "str" "string" Text 8;
}

impl DType {
    /// True if it is a floating type.
    pub fn is_float(self) -> bool {
        self.kind() == Kind::Float
    }

    /// True if it is an integer type.
    pub fn is_int(self) -> bool {
        self.kind() == Kind::Int
    }

    /// True if it is an integer type that holds no number below zero.
    pub fn is_unsigned(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32)
    }

    /// The bits of an element.
    pub fn bits(self) -> u32 {
        8 * self.size() as u32
    }

    /// The least and the greatest number of an integer type; none of another.
    pub fn ends(self) -> Option<(i64, i64)> {
        self.is_int().then(|| match (self.is_unsigned(), self.bits()) {
            (true, bits) => (0, (1 << bits) - 1),
            (false, bits) => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        })
    }

    /// The integer of this type that has the lowest bits of a number; the number itself for other types.
    pub fn wrap(self, number: i64) -> i64 {
        match self {
            DType::I8 => i64::from(number as i8),
            DType::I16 => i64::from(number as i16),
            DType::I32 => i64::from(number as i32),
            DType::U8 => i64::from(number as u8),
            DType::U16 => i64::from(number as u16),
            DType::U32 => i64::from(number as u32),
            DType::I64 | DType::Bool | DType::F32 | DType::F64 | DType::Str => number,
        }
    }

    /// The type in which backends compute with its elements: that of a narrow integer is wider than itself.
    pub fn register(self) -> DType {
        match self {
            DType::I8 | DType::I16 | DType::U8 | DType::U16 => DType::I32,
            DType::U32 => DType::I64,
            DType::Bool | DType::I32 | DType::I64 | DType::F32 | DType::F64 | DType::Str => self,
        }
    }

    /// True if its elements are numbers or truth values.
    pub fn is_number(self) -> bool {
        self.kind() != Kind::Text
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FromStr for DType {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let known = |d: &&DType| d.text() == text || d.python_name() == text;
        DType::ALL.iter().find(known).copied().ok_or_else(|| format!("`{text}` is not an element type"))
    }
}

/// One element, as wide as the widest of its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating number.
    Float(f64),
    /// A string, which somebody keeps.
    Text(Text),
}

impl Scalar {
    /// The kind of value this is.
    pub fn kind(self) -> Kind {
        match self {
            Scalar::Bool(_) => Kind::Bool,
            Scalar::Int(_) => Kind::Int,
            Scalar::Float(_) => Kind::Float,
            Scalar::Text(_) => Kind::Text,
        }
    }

    /// True if two are one and the same: of one kind and with equal bits, so that NaN is NaN and `0.0` is not
    /// `-0.0`.
    pub fn is(self, other: Scalar) -> bool {
        match (self, other) {
            (Scalar::Float(x), Scalar::Float(y)) => x.to_bits() == y.to_bits(),
            (Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_) | Scalar::Text(_), _) => self == other,
        }
    }

    /// As a floating number; `true` is 1, a string 0.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(i) => i as f64,
            Scalar::Float(x) => x,
            Scalar::Text(_) => 0.0,
        }
    }

    /// As an integer; floats are cut toward zero and saturate, NaN and strings are 0.
    pub fn to_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => i64::from(b),
            Scalar::Int(i) => i,
            Scalar::Float(x) => x as i64,
            Scalar::Text(_) => 0,
        }
    }

    /// As a truth value: anything but zero and the string without bytes is true.
    pub fn to_bool(self) -> bool {
        match self {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Float(x) => x != 0.0,
            Scalar::Text(text) => text != Text::EMPTY,
        }
    }

    /// As a string; a number is none.
    pub fn to_text(self) -> Text {
        match self {
            Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_) => Text::EMPTY,
            Scalar::Text(text) => text,
        }
    }

    /// The nearest value that `dtype` can hold; integers wrap. This is what `cast` means between numbers.
    pub fn cast(self, dtype: DType) -> Scalar {
        match dtype {
            DType::Bool => Scalar::Bool(self.to_bool()),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 => {
                Scalar::Int(match (self, dtype.ends()) {
                    (Scalar::Float(x), Some((least, most))) => (x as i64).clamp(least, most),
                    (number, _) => dtype.wrap(number.to_i64()),
                })
            }
            DType::F32 => Scalar::Float(f64::from(match self {
                Scalar::Int(i) => i as f32,
                Scalar::Bool(_) | Scalar::Float(_) | Scalar::Text(_) => self.to_f64() as f32,
            })),
            DType::F64 => Scalar::Float(self.to_f64()),
            DType::Str => Scalar::Text(self.to_text()),
        }
    }

    /// Appends the element's bytes, little-endian, as `dtype`.
    pub fn write(self, dtype: DType, out: &mut Vec<u8>) {
        match dtype {
            DType::Bool => out.push(u8::from(self.to_bool())),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 => {
                out.extend(&self.cast(dtype).to_i64().to_le_bytes()[..dtype.size()]);
            }
            DType::F32 => out.extend((self.cast(dtype).to_f64() as f32).to_le_bytes()),
            DType::F64 => out.extend(self.to_f64().to_le_bytes()),
            DType::Str => out.extend(self.to_text().word().to_le_bytes()),
        }
    }

    /// Reads one element of `dtype` from the start of `bytes`.
    ///
    /// # Panics
    /// If there are fewer than `dtype.size()` bytes.
    pub fn read(dtype: DType, bytes: &[u8]) -> Scalar {
        fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
            bytes[..N].try_into().expect("N bytes")
        }
        match dtype {
            DType::Bool => Scalar::Bool(bytes[0] != 0),
            DType::I8 => Scalar::Int(i64::from(i8::from_le_bytes(first(bytes)))),
            DType::I16 => Scalar::Int(i64::from(i16::from_le_bytes(first(bytes)))),
            DType::I32 => Scalar::Int(i64::from(i32::from_le_bytes(first(bytes)))),
            DType::I64 => Scalar::Int(i64::from_le_bytes(first(bytes))),
            DType::U8 => Scalar::Int(i64::from(bytes[0])),
            DType::U16 => Scalar::Int(i64::from(u16::from_le_bytes(first(bytes)))),
            DType::U32 => Scalar::Int(i64::from(u32::from_le_bytes(first(bytes)))),
            DType::F32 => Scalar::Float(f64::from(f32::from_le_bytes(first(bytes)))),
            DType::F64 => Scalar::Float(f64::from_le_bytes(first(bytes))),
            DType::Str => Scalar::Text(Text::from_word(u64::from_le_bytes(first(bytes)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for &d in DType::ALL {
            assert_eq!(d.text().parse(), Ok(d));
            assert_eq!(d.python_name().parse(), Ok(d));
        }
    }

    #[test]
    fn casts_wrap_cut_and_saturate() {
        assert_eq!(Scalar::Int(1 << 32 | 5).cast(DType::I32), Scalar::Int(5));
        assert_eq!(Scalar::Float(-2.7).cast(DType::I32), Scalar::Int(-2));
        assert_eq!(Scalar::Float(1e20).cast(DType::I32), Scalar::Int(i64::from(i32::MAX)));
        assert_eq!(Scalar::Float(0.1).cast(DType::F32), Scalar::Float(f64::from(0.1f32)));
        assert_eq!(Scalar::Int(200).cast(DType::I8), Scalar::Int(-56));
        assert_eq!(Scalar::Int(-1).cast(DType::U32), Scalar::Int(u32::MAX.into()));
        assert_eq!(Scalar::Float(-2.7).cast(DType::U8), Scalar::Int(0));
        assert_eq!(Scalar::Float(1e20).cast(DType::U16), Scalar::Int(u16::MAX.into()));
    }

    #[test]
    fn ends_of_integer_types_are_those_of_rust() {
        assert_eq!(DType::I8.ends(), Some((i8::MIN.into(), i8::MAX.into())));
        assert_eq!(DType::I64.ends(), Some((i64::MIN, i64::MAX)));
        assert_eq!(DType::U8.ends(), Some((0, u8::MAX.into())));
        assert_eq!(DType::U32.ends(), Some((0, u32::MAX.into())));
        assert_eq!(DType::F32.ends(), None);
    }

    #[test]
    fn bytes_read_back() {
        for &d in DType::ALL {
            let mut bytes = Vec::new();
            Scalar::Int(1).write(d, &mut bytes);
            assert_eq!(bytes.len(), d.size());
            assert_eq!(Scalar::read(d, &bytes), Scalar::Int(1).cast(d));
        }
    }
}
