//! Native code as bytes, for another process with the same build on the same machine to run.
//!
//! Addresses are written by name, places in the user's text by their number among the places of the graph.
//! Bytes that were not written here read as nothing; they are not checked further, so their keeper sees to it
//! that nobody else writes them.

mod sites;
mod words;

use rustc_hash::FxHashMap;

use gw_base::Loc;
use gw_runtime::{Buffer, Program};
use gw_types::{DType, Dim, DimVar, Scalar, Shape, TensorType, Texts};

use crate::jit::{Machine, Object, Symbol, Want};
use crate::loops::Callee;
use crate::native::Native;
use words::{Reader, Writer};

impl Native {
    /// Its bytes; `place` numbers the places in the user's text. `None` if something in it has no name or number.
    pub fn to_bytes(&self, place: &dyn Fn(&Loc) -> Option<usize>) -> Option<Vec<u8>> {
        let mut to = Writer::default();
        to.bytes(&self.object.bytes);
        to.number(self.object.entry);
        to.list_of(&self.object.wants, |to, want| {
            to.number(want.at);
            write_symbol(to, want.symbol)
        })?;
        write_program(&mut to, &self.program, place)?;
        Some(to.0)
    }

    /// Executable that the bytes hold; `places` are those of the graph. `None` if they were not written so.
    pub fn from_bytes(bytes: &[u8], places: &[Loc]) -> Option<Native> {
        let mut from = Reader(bytes);
        let code = from.bytes()?.to_vec();
        let entry = from.number()?;
        let wants = from.list(|from| Some(Want { at: from.number()?, symbol: read_symbol(from)? }))?;
        let object = Object { bytes: code, entry, wants };
        let native = Native { object, program: read_program(&mut from, places)? };
        from.0.is_empty().then_some(native)
    }
}

/// True if code for one of them is code for the other.
pub(crate) fn is_same(one: &Program, other: &Program) -> bool {
    let places = one.sites.iter().chain(&other.sites).filter_map(|site| site.place.as_ref());
    let mut numbers = FxHashMap::default();
    for (number, place) in places.enumerate() {
        numbers.entry(place).or_insert(number);
    }
    let bytes = |program| {
        let mut to = Writer::default();
        write_program(&mut to, program, &|place| numbers.get(place).copied()).map(|()| to.0)
    };
    bytes(one).is_some_and(|one| bytes(other) == Some(one))
}

fn write_program(to: &mut Writer, program: &Program, place: &dyn Fn(&Loc) -> Option<usize>) -> Option<()> {
    for types in [&program.params, &program.results] {
        to.list(types, write_type);
    }
    to.list(&program.slots, |to, &size| to.number(size));
    to.list(&program.functions, |to, slots| to.list(slots, |to, &size| to.number(size)));
    to.number(program.scratch);
    to.list_of(&program.sites, |to, site| sites::write(to, site, place))?;
    to.list(&program.literals, write_buffer);
    to.byte(u8::from(program.flushes));
    to.list(&program.stored_into, |to, &at| to.number(at));
    Some(())
}

fn read_program(from: &mut Reader, places: &[Loc]) -> Option<Program> {
    Some(Program {
        params: from.list(read_type)?,
        results: from.list(read_type)?,
        slots: from.list(Reader::number)?,
        functions: from.list(|from| from.list(Reader::number))?,
        scratch: from.number()?,
        sites: from.list(|from| sites::read(from, places))?,
        literals: from.list(read_buffer)?,
        flushes: from.byte()? == 1,
        stored_into: from.list(Reader::number)?,
    })
}

/// Services of the runtime; the place of each here is its number.
const SERVICES: [Callee; 14] = [
    Callee::Grow,
    Callee::Extend,
    Callee::Speak,
    Callee::Poll,
    Callee::Enter,
    Callee::Leave,
    Callee::Copy,
    Callee::Append,
    Callee::Order,
    Callee::Length,
    Callee::Upper,
    Callee::Lower,
    Callee::Share,
    Callee::Ask,
];

fn write_symbol(to: &mut Writer, symbol: Symbol) -> Option<()> {
    match symbol {
        Symbol::Callee(Callee::Kernel(kernel)) => {
            gw_kernels::named(kernel.name).filter(|named| named.params == kernel.params)?;
            to.byte(0);
            to.bytes(kernel.name.as_bytes());
        }
        Symbol::Callee(service) => {
            to.byte(1);
            to.number(SERVICES.iter().position(|other| *other == service)?);
        }
        Symbol::Literal(at) => {
            to.byte(2);
            to.number(at);
        }
        Symbol::Machine(machine) => {
            to.byte(3);
            to.number(Machine::ALL.iter().position(|other| *other == machine)?);
        }
        Symbol::Code(at) => {
            to.byte(4);
            to.number(at);
        }
    }
    Some(())
}

fn read_symbol(from: &mut Reader) -> Option<Symbol> {
    match from.byte()? {
        0 => gw_kernels::named(from.text()?).map(|kernel| Symbol::Callee(Callee::Kernel(kernel))),
        1 => SERVICES.get(from.number()?).map(|&service| Symbol::Callee(service)),
        2 => from.number().map(Symbol::Literal),
        3 => Machine::ALL.get(from.number()?).map(|&machine| Symbol::Machine(machine)),
        4 => from.number().map(Symbol::Code),
        _ => None,
    }
}

fn write_dtype(to: &mut Writer, dtype: DType) {
    to.byte(DType::ALL.iter().position(|&other| other == dtype).map_or(u8::MAX, |at| at as u8));
}

fn read_dtype(from: &mut Reader) -> Option<DType> {
    DType::ALL.get(usize::from(from.byte()?)).copied()
}

fn write_type(to: &mut Writer, ty: &TensorType) {
    write_dtype(to, ty.dtype);
    to.list(&ty.shape.0, |to, &dim| match dim {
        Dim::Fixed(length) => to.maybe(Some(length)),
        Dim::Var(DimVar(number)) => {
            to.byte(0);
            to.number(number as usize);
        }
    });
}

fn read_type(from: &mut Reader) -> Option<TensorType> {
    let dtype = read_dtype(from)?;
    let dims = from.list(|from| {
        let (is_fixed, number) = (from.byte()?, from.number()?);
        let var = || u32::try_from(number).ok().map(|number| Dim::Var(DimVar(number)));
        if is_fixed == 1 { Some(Dim::Fixed(number)) } else { var() }
    })?;
    Some(TensorType::new(dtype, Shape(dims)))
}

fn write_buffer(to: &mut Writer, buffer: &Buffer) {
    write_dtype(to, buffer.dtype());
    to.list(buffer.lengths(), |to, &length| to.number(length));
    if buffer.dtype().is_number() {
        to.bytes(buffer.bytes());
    } else {
        // The words that stand for strings are those of one process.
        to.list(&buffer.scalars().collect::<Vec<_>>(), |to, text| to.bytes(&text.to_text().to_bytes()));
    }
}

fn read_buffer(from: &mut Reader) -> Option<Buffer> {
    let dtype = read_dtype(from)?;
    let lengths = from.list(Reader::number)?;
    let size = lengths.iter().try_fold(dtype.size(), |size, &length| size.checked_mul(length))?;
    if dtype.is_number() {
        let bytes = from.bytes().filter(|bytes| bytes.len() == size)?;
        return Some(Buffer::from_bytes(dtype, &lengths, bytes));
    }
    let (mut texts, mut words) = (Texts::default(), Vec::new());
    from.list(|from| {
        Scalar::Text(texts.make(from.bytes()?)).write(dtype, &mut words);
        Some(())
    })?;
    (words.len() == size).then(|| Buffer::from_bytes(dtype, &lengths, &words))
}
