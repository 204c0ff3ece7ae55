//! Element types.

use std::fmt;
use std::str::FromStr;

use half::{bf16, f16};

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
    /// Two of those: a real and an imaginary part.
    Complex,
}

impl Kind {
    /// The class of such a value in Python.
    pub fn class_name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Float => "float",
            Kind::Complex => "complex",
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
    /// 64-bit integer without a sign.
    U64 "u64" "uint64" Int 8;
    /// Half precision: 5 bits of exponent, 10 of fraction.
    F16 "f16" "float16" Float 2;
    /// The upper half of single precision: 8 bits of exponent, 7 of fraction.
    BF16 "bf16" "bfloat16" Float 2;
    /// Single precision.
    F32 "f32" "float32" Float 4;
    /// Double precision.
    F64 "f64" "float64" Float 8;
    /// Two numbers of single precision: the real part, then the imaginary one.
    C64 "c64" "complex64" Complex 8;
    /// Two numbers of double precision: the real part, then the imaginary one.
    C128 "c128" "complex128" Complex 16;
    /// A string of bytes, as a [`Text`].
    Str "str" "string" Text 8;
}

impl DType {
    /// True if it is a floating type.
    pub fn is_float(self) -> bool {
        self.kind() == Kind::Float
    }

    /// True if it is a type of complex numbers.
    pub fn is_complex(self) -> bool {
        self.kind() == Kind::Complex
    }

    /// True if its elements are floating or complex numbers, of which there are derivatives.
    pub fn is_fractional(self) -> bool {
        self.is_float() || self.is_complex()
    }

    /// The type of the real and of the imaginary part of its elements; of others their own.
    pub fn part(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            DType::Bool | DType::Str | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => self,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => self,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => self,
        }
    }

    /// The least type of complex numbers whose parts hold the elements of a floating type.
    pub fn complex(self) -> DType {
        if self == DType::F64 || self == DType::C128 { DType::C128 } else { DType::C64 }
    }

    /// True if it is an integer type.
    pub fn is_int(self) -> bool {
        self.kind() == Kind::Int
    }

    /// True if it is an integer type that holds no number below zero.
    pub fn is_unsigned(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// The bits of an element.
    pub fn bits(self) -> u32 {
        8 * self.size() as u32
    }

    /// The least and the greatest number of an integer type; none of another.
    pub fn ends(self) -> Option<(i128, i128)> {
        self.is_int().then(|| match (self.is_unsigned(), self.bits()) {
            (true, bits) => (0, (1 << bits) - 1),
            (false, bits) => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
        })
    }

    /// The type in which backends compute with its elements, where they have no arithmetic of it: integers wrap, so that their
    /// lowest bits are those of the wider type's, and the nearest number of half precision is that of single precision's.
    pub fn register(self) -> DType {
        match self {
            DType::I8 | DType::I16 | DType::U8 | DType::U16 => DType::I32,
            DType::U32 | DType::U64 => DType::I64,
            DType::F16 | DType::BF16 => DType::F32,
            DType::Bool | DType::I32 | DType::I64 | DType::F32 | DType::F64 | DType::Str => self,
            DType::C64 | DType::C128 => self,
        }
    }

    /// The binary digits of a floating type's numbers, or of the parts of a complex one; 0 of another.
    pub fn digits(self) -> u32 {
        match self {
            DType::F16 => f16::MANTISSA_DIGITS,
            DType::BF16 => bf16::MANTISSA_DIGITS,
            DType::F32 | DType::C64 => f32::MANTISSA_DIGITS,
            DType::F64 | DType::C128 => f64::MANTISSA_DIGITS,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::Bool | DType::Str => 0,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => 0,
        }
    }

    /// The greatest finite number of a floating type, or of the parts of a complex one; 0 of another.
    pub fn greatest(self) -> f64 {
        match self {
            DType::F16 => f16::MAX.to_f64(),
            DType::BF16 => bf16::MAX.to_f64(),
            DType::F32 => f32::MAX.into(),
            DType::F64 => f64::MAX,
            DType::C64 | DType::C128 => self.part().greatest(),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::Bool | DType::Str => 0.0,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => 0.0,
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
    /// An integer of 64 bits without a sign.
    Nat(u64),
    /// A floating number.
    Float(f64),
    /// A complex number: its real and its imaginary part.
    Complex(f64, f64),
    /// A string, which somebody keeps.
    Text(Text),
}

impl Scalar {
    /// The kind of value this is.
    pub fn kind(self) -> Kind {
        match self {
            Scalar::Bool(_) => Kind::Bool,
            Scalar::Int(_) | Scalar::Nat(_) => Kind::Int,
            Scalar::Float(_) => Kind::Float,
            Scalar::Complex(..) => Kind::Complex,
            Scalar::Text(_) => Kind::Text,
        }
    }

    /// The widest element type of its kind, which holds it.
    pub fn wide_dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::Nat(_) => DType::U64,
            Scalar::Float(_) => DType::F64,
            Scalar::Complex(..) => DType::C128,
            Scalar::Text(_) => DType::Str,
        }
    }

    /// True if two are one and the same: of one kind and with equal bits, so that NaN is NaN and `0.0` is not
    /// `-0.0`.
    pub fn is(self, other: Scalar) -> bool {
        match (self, other) {
            (Scalar::Float(x), Scalar::Float(y)) => x.to_bits() == y.to_bits(),
            (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
                [a.to_bits(), b.to_bits()] == [c.to_bits(), d.to_bits()]
            }
            (_, _) => self == other,
        }
    }

    /// The real and the imaginary part; that of others is 0.
    pub fn parts(self) -> [f64; 2] {
        if let Scalar::Complex(re, im) = self { [re, im] } else { [self.to_f64(), 0.0] }
    }

    /// True if it is NaN, or a part of it is.
    pub fn is_nan(self) -> bool {
        self.parts().into_iter().any(f64::is_nan)
    }

    /// As a floating number; `true` is 1, a string 0; of a complex number the real part.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(i) => i as f64,
            Scalar::Nat(n) => n as f64,
            Scalar::Float(x) | Scalar::Complex(x, _) => x,
            Scalar::Text(_) => 0.0,
        }
    }

    /// As an integer of 64 bits: others wrap, floats are cut toward zero and saturate, NaN and strings are 0.
    pub fn to_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => i64::from(b),
            Scalar::Int(i) => i,
            Scalar::Nat(n) => n as i64,
            Scalar::Float(x) | Scalar::Complex(x, _) => x as i64,
            Scalar::Text(_) => 0,
        }
    }

    /// As an integer; floats are cut toward zero and saturate, NaN and strings are 0.
    pub fn to_integer(self) -> i128 {
        match self {
            Scalar::Bool(b) => i128::from(b),
            Scalar::Int(i) => i128::from(i),
            Scalar::Nat(n) => i128::from(n),
            Scalar::Float(x) | Scalar::Complex(x, _) => x as i128,
            Scalar::Text(_) => 0,
        }
    }

    /// As a position along an axis: a word that does not fit is past every end.
    pub fn to_index(self) -> i64 {
        i64::try_from(self.to_integer()).unwrap_or(i64::MAX)
    }

    /// The element of an integer type that has the lowest bits of a number.
    pub fn wrapped(dtype: DType, number: i128) -> Scalar {
        let unused = 128 - dtype.bits();
        if dtype == DType::U64 {
            Scalar::Nat(number as u64)
        } else if dtype.is_unsigned() {
            Scalar::Int((((number << unused) as u128) >> unused) as i64)
        } else {
            Scalar::Int((number << unused >> unused) as i64)
        }
    }

    /// As a truth value: anything but zero and the string without bytes is true.
    pub fn to_bool(self) -> bool {
        match self {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Nat(n) => n != 0,
            Scalar::Float(x) => x != 0.0,
            Scalar::Complex(re, im) => re != 0.0 || im != 0.0,
            Scalar::Text(text) => text != Text::EMPTY,
        }
    }

    /// As a string; a number is none.
    pub fn to_text(self) -> Text {
        match self {
            Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) => Text::EMPTY,
            Scalar::Float(_) | Scalar::Complex(..) => Text::EMPTY,
            Scalar::Text(text) => text,
        }
    }

    /// The nearest value that `dtype` can hold; integers wrap. This is what `cast` means between numbers.
    pub fn cast(self, dtype: DType) -> Scalar {
        match (dtype.kind(), dtype.ends()) {
            (Kind::Bool, _) => Scalar::Bool(self.to_bool()),
            (Kind::Int, Some((least, most))) if self.kind() >= Kind::Float => {
                Scalar::wrapped(dtype, self.to_integer().clamp(least, most))
            }
            (Kind::Int, _) => Scalar::wrapped(dtype, self.to_integer()),
            (Kind::Float, _) => Scalar::Float(self.rounded(dtype)),
            (Kind::Complex, _) => {
                let [re, im] = if let Scalar::Complex(re, im) = self {
                    [re, im].map(|part| Scalar::Float(part).rounded(dtype.part()))
                } else {
                    [self.rounded(dtype.part()), 0.0]
                };
                Scalar::Complex(re, im)
            }
            (Kind::Text, _) => Scalar::Text(self.to_text()),
        }
    }

    /// The nearest number of a floating type, ties to even.
    fn rounded(self, dtype: DType) -> f64 {
        match (dtype, self) {
            (DType::F16, _) => f16::from_f64(self.to_f64()).to_f64(),
            (DType::BF16, _) => bf16::from_f64(self.to_f64()).to_f64(),
            (DType::F32, Scalar::Int(i)) => f64::from(i as f32),
            (DType::F32, Scalar::Nat(n)) => f64::from(n as f32),
            (DType::F32, _) => f64::from(self.to_f64() as f32),
            (_, _) => self.to_f64(),
        }
    }

    /// Appends the element's bytes, little-endian, as `dtype`.
    pub fn write(self, dtype: DType, out: &mut Vec<u8>) {
        let element = self.cast(dtype);
        match (dtype, element) {
            (DType::F16, _) => out.extend(f16::from_f64(element.to_f64()).to_le_bytes()),
            (DType::BF16, _) => out.extend(bf16::from_f64(element.to_f64()).to_le_bytes()),
            (DType::F32, _) => out.extend((element.to_f64() as f32).to_le_bytes()),
            (DType::C64, _) => {
                element.parts().into_iter().for_each(|part| out.extend((part as f32).to_le_bytes()));
            }
            (_, Scalar::Float(x)) => out.extend(x.to_le_bytes()),
            (_, Scalar::Complex(re, im)) => {
                [re, im].into_iter().for_each(|part| out.extend(part.to_le_bytes()))
            }
            (_, Scalar::Text(text)) => out.extend(text.word().to_le_bytes()),
            (_, Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_)) => {
                out.extend(&element.to_i64().to_le_bytes()[..dtype.size()]);
            }
        }
    }

    /// Reads one element of `dtype` from the start of `bytes`.
    ///
    /// # Panics
    /// If there are fewer than `dtype.size()` bytes.
    pub fn read(dtype: DType, bytes: &[u8]) -> Scalar {
        if dtype.is_complex() {
            let [re, im] = [0, dtype.size() / 2].map(|at| Scalar::read(dtype.part(), &bytes[at..]).to_f64());
            return Scalar::Complex(re, im);
        }
        let mut word = [0; 8];
        word[..dtype.size()].copy_from_slice(&bytes[..dtype.size()]);
        let bits = u64::from_le_bytes(word);
        match dtype {
            DType::Bool => Scalar::Bool(bits != 0),
            DType::F16 => Scalar::Float(f16::from_bits(bits as u16).to_f64()),
            DType::BF16 => Scalar::Float(bf16::from_bits(bits as u16).to_f64()),
            DType::F32 => Scalar::Float(f64::from(f32::from_bits(bits as u32))),
            DType::F64 | DType::C64 | DType::C128 => Scalar::Float(f64::from_bits(bits)),
            DType::Str => Scalar::Text(Text::from_word(bits)),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Scalar::wrapped(dtype, i128::from(bits)),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Scalar::wrapped(dtype, i128::from(bits)),
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
        assert_eq!(Scalar::Float(0.1).cast(DType::F16), Scalar::Float(0.0999755859375));
        assert_eq!(Scalar::Float(1e5).cast(DType::F16), Scalar::Float(f64::INFINITY));
        assert_eq!(Scalar::Float(0.1).cast(DType::BF16), Scalar::Float(0.10009765625));
        assert_eq!(Scalar::Int(-1).cast(DType::U64), Scalar::Nat(u64::MAX));
        assert_eq!(Scalar::Float(1e20).cast(DType::U64), Scalar::Nat(u64::MAX));
        assert_eq!(Scalar::Nat(u64::MAX).cast(DType::I32), Scalar::Int(-1));
        assert_eq!(Scalar::Int(200).cast(DType::I8), Scalar::Int(-56));
        assert_eq!(Scalar::Int(-1).cast(DType::U32), Scalar::Int(u32::MAX.into()));
        assert_eq!(Scalar::Float(-2.7).cast(DType::U8), Scalar::Int(0));
        assert_eq!(Scalar::Float(1e20).cast(DType::U16), Scalar::Int(u16::MAX.into()));
    }

    #[test]
    fn ends_of_integer_types_are_those_of_rust() {
        assert_eq!(DType::I8.ends(), Some((i8::MIN.into(), i8::MAX.into())));
        assert_eq!(DType::I64.ends(), Some((i64::MIN.into(), i64::MAX.into())));
        assert_eq!(DType::U64.ends(), Some((0, u64::MAX.into())));
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
