//! Machine code that has no place yet: functions that find each other by distances, and names in place of addresses.

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{
    self, ExtFuncData, ExternalName, FuncRef, GlobalValue, GlobalValueData, LibCall, Signature,
    UserExternalName,
};
use cranelift_codegen::{Context, FinalizedMachReloc, FinalizedRelocTarget};
use gw_base::Broken;

use super::isa::ISA;
use crate::loops::Callee;

/// Functions of a program, and tables, begin at multiples of so many bytes.
const ALIGNMENT: usize = 64;

/// A thing that has an address only when the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// A function outside.
    Callee(Callee),
    /// The elements of a literal of the program.
    Literal(usize),
    /// A function that replaces an instruction that the machine lacks.
    Machine(Machine),
    /// The code itself, so many bytes from its start.
    Code(usize),
}

/// Functions for instructions that a machine may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machine {
    CeilF32,
    CeilF64,
    FloorF32,
    FloorF64,
    NearestF32,
    NearestF64,
    FmaF32,
    FmaF64,
}

/// A place in the code for the 64 bits of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Want {
    /// Bytes from the start of the code.
    pub(crate) at: usize,
    /// Symbol whose address is written.
    pub(crate) symbol: Symbol,
}

/// The code of a whole program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    /// Code with constants in it.
    pub(crate) bytes: Vec<u8>,
    /// Offset at which the graph's own function begins.
    pub(crate) entry: usize,
    /// The addresses that it lacks.
    pub(crate) wants: Vec<Want>,
}

/// One function of a program that is being put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece(usize);

/// A program that is being put together.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    bytes: Vec<u8>,
    /// Offset at which each function begins, once it is emitted.
    starts: Vec<Option<usize>>,
    /// The distances that are to be written.
    near: Vec<Near>,
    wants: Vec<Want>,
    /// The places in the code for addresses of functions of the program.
    pointers: Vec<(usize, Piece)>,
    /// The symbols outside, by the code generator's numbers.
    symbols: Vec<Symbol>,
    /// Objects that are functions of the program.
    embedded: Vec<(&'static Object, Piece)>,
    /// Tables that functions of the program read.
    tables: Vec<(Vec<u8>, Piece)>,
}

/// A place in the code for the distance to a function.
#[derive(Debug)]
struct Near {
    at: usize,
    to: Piece,
    kind: Reloc,
    addend: i64,
}

/// The code generator's namespaces of functions of the program and of symbols.
const PIECES: u32 = 0;
const SYMBOLS: u32 = 1;

fn broken(what: impl Into<String>) -> Broken {
    Broken::new("jit", what)
}

impl Machine {
    /// Every one; its place here is its number.
    pub(crate) const ALL: [Machine; 8] = [
        Machine::CeilF32,
        Machine::CeilF64,
        Machine::FloorF32,
        Machine::FloorF64,
        Machine::NearestF32,
        Machine::NearestF64,
        Machine::FmaF32,
        Machine::FmaF64,
    ];
}

impl Pieces {
    /// A function that will be there in the end.
    pub(super) fn declare(&mut self) -> Piece {
        self.starts.push(None);
        Piece(self.starts.len() - 1)
    }

    /// A function that these bytes are.
    pub(super) fn of_bytes(&mut self, code: &[u8]) -> Piece {
        let piece = self.declare();
        self.place(piece, code);
        piece
    }

    /// A table that these bytes are.
    pub(super) fn table(&mut self, table: Vec<u8>) -> Piece {
        if let Some((_, piece)) = self.tables.iter().find(|(other, _)| *other == table) {
            return *piece;
        }
        let piece = self.of_bytes(&table);
        self.tables.push((table, piece));
        piece
    }

    /// A function that another object is, without its constants.
    pub(super) fn embed(&mut self, object: &'static Object) -> Piece {
        if let Some((_, piece)) = self.embedded.iter().find(|(other, _)| std::ptr::eq(*other, object)) {
            return *piece;
        }
        let piece = self.of_bytes(&object.bytes);
        let start = self.starts[piece.0].unwrap_or(0);
        self.wants.extend(object.wants.iter().map(|want| Want { at: start + want.at, ..*want }));
        self.embedded.push((object, piece));
        piece
    }

    /// A function of the program as another one calls it.
    pub(super) fn called(&self, piece: Piece, signature: Signature, func: &mut ir::Function) -> FuncRef {
        let signature = func.import_signature(signature);
        let name = UserExternalName { namespace: PIECES, index: piece.0 as u32 };
        let name = ExternalName::user(func.declare_imported_user_function(name));
        func.import_function(ExtFuncData { name, signature, colocated: true, patchable: false })
    }

    /// A function of the program as another one hands out its address.
    pub(super) fn pointed(&self, piece: Piece, signature: Signature, func: &mut ir::Function) -> FuncRef {
        let function = self.called(piece, signature, func);
        func.dfg.ext_funcs[function].colocated = false;
        function
    }

    /// A symbol that a function of the program names.
    pub(super) fn name(&mut self, symbol: Symbol, func: &mut ir::Function) -> ExternalName {
        let known = self.symbols.iter().position(|other| *other == symbol);
        let index = known.unwrap_or_else(|| {
            self.symbols.push(symbol);
            self.symbols.len() - 1
        });
        let name = UserExternalName { namespace: SYMBOLS, index: index as u32 };
        ExternalName::user(func.declare_imported_user_function(name))
    }

    /// The address of a symbol as a function of the program takes it.
    pub(super) fn address(&mut self, symbol: Symbol, func: &mut ir::Function) -> GlobalValue {
        let name = self.name(symbol, func);
        func.create_global_value(GlobalValueData::Symbol {
            name,
            offset: 0.into(),
            colocated: false,
            tls: false,
        })
    }

    /// Generates the code of a function.
    pub(super) fn define(&mut self, piece: Piece, context: &mut Context) -> Result<(), Broken> {
        let isa = ISA.as_ref().map_err(broken)?;
        let compiled = context.compile(&**isa, &mut ControlPlane::default());
        let compiled = compiled.map_err(|e| broken(format!("{:?}", e.inner)))?;
        let relocations = compiled.buffer.relocs().to_vec();
        let start = self.place(piece, compiled.code_buffer());
        relocations.iter().try_for_each(|r| self.relocate(piece, start, r, &context.func))
    }

    /// Puts code behind what there is.
    fn place(&mut self, piece: Piece, code: &[u8]) -> usize {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(start, 0);
        self.bytes.extend(code);
        self.starts[piece.0] = Some(start);
        start
    }

    fn relocate(
        &mut self,
        piece: Piece,
        start: usize,
        relocation: &FinalizedMachReloc,
        func: &ir::Function,
    ) -> Result<(), Broken> {
        let &FinalizedMachReloc { offset, kind, ref target, addend } = relocation;
        let at = start + offset as usize;
        let symbol = match target {
            FinalizedRelocTarget::ExternalName(ExternalName::User(name)) => {
                let UserExternalName { namespace, index } = func.params.user_named_funcs()[*name];
                if namespace == PIECES && kind == Reloc::Abs8 && addend == 0 {
                    self.pointers.push((at, Piece(index as usize)));
                    return Ok(());
                }
                if namespace == PIECES {
                    self.near.push(Near { at, to: Piece(index as usize), kind, addend });
                    return Ok(());
                }
                self.symbols[index as usize]
            }
            FinalizedRelocTarget::ExternalName(ExternalName::LibCall(call)) => {
                Symbol::Machine(machine(*call)?)
            }
            FinalizedRelocTarget::Func(inside) => {
                self.near.push(Near { at, to: piece, kind, addend: addend + i64::from(*inside) });
                return Ok(());
            }
            FinalizedRelocTarget::ExternalName(other) => return Err(broken(format!("a name {other:?}"))),
        };
        if kind != Reloc::Abs8 || addend != 0 {
            return Err(broken(format!("the address of {symbol:?} as {kind:?} and {addend}")));
        }
        self.wants.push(Want { at, symbol });
        Ok(())
    }

    /// The whole program, of which this is the graph's own function.
    pub(super) fn finish(mut self, entry: Piece) -> Result<Object, Broken> {
        for Near { at, to, kind, addend } in std::mem::take(&mut self.near) {
            let target =
                self.starts[to.0].ok_or_else(|| broken("a function was declared and is not there"))?;
            self.write_distance(at, target as i64 + addend - at as i64, kind)?;
        }
        for (at, piece) in std::mem::take(&mut self.pointers) {
            let start =
                self.starts[piece.0].ok_or_else(|| broken("a function was named and is not there"))?;
            self.wants.push(Want { at, symbol: Symbol::Code(start) });
        }
        let entry = self.starts[entry.0].ok_or_else(|| broken("the graph's own function is not there"))?;
        Ok(Object { bytes: self.bytes, entry, wants: self.wants })
    }

    fn write_distance(&mut self, at: usize, distance: i64, kind: Reloc) -> Result<(), Broken> {
        let field = &mut self.bytes[at..at + 4];
        let there = u32::from_le_bytes([field[0], field[1], field[2], field[3]]);
        let written = if matches!(kind, Reloc::X86PCRel4 | Reloc::X86CallPCRel4) {
            i32::try_from(distance).ok().map(|d| d as u32)
        } else {
            // `bl`: 26 bits that count instructions.
            let fits = kind == Reloc::Arm64Call && (-(1 << 27)..1 << 27).contains(&distance);
            fits.then_some(there & !0x03ff_ffff | (distance >> 2) as u32 & 0x03ff_ffff)
        };
        let written = written.ok_or_else(|| broken(format!("a distance of {distance} as {kind:?}")))?;
        field.copy_from_slice(&written.to_le_bytes());
        Ok(())
    }
}

/// The function for an instruction that this machine lacks.
fn machine(call: LibCall) -> Result<Machine, Broken> {
    match call {
        LibCall::CeilF32 => Ok(Machine::CeilF32),
        LibCall::CeilF64 => Ok(Machine::CeilF64),
        LibCall::FloorF32 => Ok(Machine::FloorF32),
        LibCall::FloorF64 => Ok(Machine::FloorF64),
        LibCall::NearestF32 => Ok(Machine::NearestF32),
        LibCall::NearestF64 => Ok(Machine::NearestF64),
        LibCall::FmaF32 => Ok(Machine::FmaF32),
        LibCall::FmaF64 => Ok(Machine::FmaF64),
        LibCall::TruncF32
        | LibCall::TruncF64
        | LibCall::Probestack
        | LibCall::Memcpy
        | LibCall::Memset
        | LibCall::Memmove
        | LibCall::Memcmp
        | LibCall::ElfTlsGetAddr
        | LibCall::ElfTlsGetOffset
        | LibCall::X86Pshufb => Err(broken(format!("a call of {call}"))),
    }
}
