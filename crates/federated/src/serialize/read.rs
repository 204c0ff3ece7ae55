//! Reads types and blocks. Each is made by its constructor, so that what is read is as well formed as what is built.

use std::sync::Arc;

use super::bytes::Reader;
use super::{MAGIC, VERSION, block_tag, type_tag};
use crate::blocks::{Block, Element, Local};
use crate::dtype::DType;
use crate::host::Host;
use crate::intrinsics::check_type;
use crate::placement::Placement;
use crate::refusal::{Allowed, Refusal};
use crate::types::{Field, Interns, Name, Type};

/// Reads a type.
///
/// # Errors
///
/// A `ValueError`: the bytes are damaged, or of another version.
pub fn read_type<H: Interns>(bytes: &[u8], containers: &[H::Container]) -> Allowed<Type<H>> {
    let records = Records::read(bytes, containers, &[])?;
    records.types.last().cloned().ok_or_else(|| Refusal::wrong_value("the bytes have no type"))
}

/// Reads a block.
///
/// # Errors
///
/// A `ValueError`: the bytes are damaged, or of another version.
pub fn read_block<H: Interns>(
    bytes: &[u8],
    containers: &[H::Container],
    payloads: &[Arc<H::Payload>],
) -> Allowed<Block<H>> {
    let records = Records::read(bytes, containers, payloads)?;
    records.blocks.last().cloned().ok_or_else(|| Refusal::wrong_value("the bytes have no block"))
}

/// The records that have been read.
struct Records<'b, H: Host> {
    reader: Reader<'b>,
    containers: &'b [H::Container],
    payloads: &'b [Arc<H::Payload>],
    types: Vec<Type<H>>,
    blocks: Vec<Block<H>>,
}

impl<'b, H: Interns> Records<'b, H> {
    fn read(
        bytes: &'b [u8],
        containers: &'b [H::Container],
        payloads: &'b [Arc<H::Payload>],
    ) -> Allowed<Records<'b, H>> {
        let reader = Reader::new(bytes);
        let mut records = Records { reader, containers, payloads, types: Vec::new(), blocks: Vec::new() };
        records.read_header()?;
        for _ in 0..records.reader.count()? {
            let ty = records.read_type_record()?;
            records.types.push(ty);
        }
        for _ in 0..records.reader.count()? {
            let block = records.read_block_record()?;
            records.blocks.push(block);
        }
        if records.reader.is_at_end() {
            Ok(records)
        } else {
            Err(records.reader.damaged("more bytes follow"))
        }
    }

    fn read_header(&mut self) -> Allowed<()> {
        if self.reader.take(MAGIC.len())? != MAGIC {
            return Err(self.reader.damaged("they do not begin with `GWFC`"));
        }
        let version = self.reader.byte()?;
        if version == VERSION {
            return Ok(());
        }
        Err(Refusal::wrong_value(format!(
            "the computation is serialised in version {version}, this one reads {VERSION}"
        )))
    }

    fn ty(&mut self) -> Allowed<Type<H>> {
        let number = self.reader.index()?;
        self.types.get(number).cloned().ok_or_else(|| self.reader.damaged("a type is not known yet"))
    }

    fn block(&mut self) -> Allowed<Block<H>> {
        let number = self.reader.index()?;
        self.blocks.get(number).cloned().ok_or_else(|| self.reader.damaged("a block is not known yet"))
    }

    fn payload(&mut self) -> Allowed<Arc<H::Payload>> {
        let number = self.reader.index()?;
        self.payloads.get(number).cloned().ok_or_else(|| self.reader.damaged("a payload is missing"))
    }

    fn container(&mut self) -> Allowed<Option<H::Container>> {
        let number = self.reader.option(Reader::index)?;
        let Some(number) = number else { return Ok(None) };
        let container = self.containers.get(number).cloned();
        container.map(Some).ok_or_else(|| self.reader.damaged("a container is missing"))
    }

    fn name(&mut self) -> Allowed<Name> {
        self.reader.text().map(Name::from)
    }

    fn optional_name(&mut self) -> Allowed<Option<Name>> {
        self.reader.option(|reader| reader.text().map(Name::from))
    }

    fn placement(&mut self) -> Allowed<Placement> {
        let uri = self.reader.text()?;
        Placement::from_uri(uri).ok_or_else(|| self.reader.damaged("a placement is not known"))
    }

    fn read_type_record(&mut self) -> Allowed<Type<H>> {
        match self.reader.byte()? {
            type_tag::TENSOR => self.read_tensor(),
            type_tag::STRUCT => {
                let container = self.container()?;
                let mut fields = Vec::new();
                for _ in 0..self.reader.count()? {
                    fields.push(Field { name: self.optional_name()?, ty: self.ty()? });
                }
                Type::structure(fields, container)
            }
            type_tag::SEQUENCE => Type::sequence_of(self.ty()?),
            type_tag::FUNCTION => {
                let parameter = if self.reader.flag()? { Some(self.ty()?) } else { None };
                Type::function_of(parameter, self.ty()?)
            }
            type_tag::ABSTRACT => Ok(Type::variable(self.name()?)),
            type_tag::PLACEMENT => Ok(Type::placement()),
            type_tag::FEDERATED => {
                let placement = self.placement()?;
                let all_equal = self.reader.flag()?;
                Type::federated_of(self.ty()?, placement, Some(all_equal))
            }
            _ => Err(self.reader.damaged("a kind of type is not known")),
        }
    }

    fn read_tensor(&mut self) -> Allowed<Type<H>> {
        let name = self.reader.text()?;
        let dtype =
            DType::from_name(name).ok_or_else(|| self.reader.damaged("an element type is not known"))?;
        let dimensions = self.reader.option(|reader| {
            let mut sizes = Vec::new();
            for _ in 0..reader.count()? {
                sizes.push(reader.option(|reader| reader.number().map(u64::cast_signed))?);
            }
            Ok(sizes.into())
        })?;
        Ok(Type::tensor(dtype, dimensions))
    }

    fn read_block_record(&mut self) -> Allowed<Block<H>> {
        match self.reader.byte()? {
            block_tag::REFERENCE => {
                let (name, ty) = (self.name()?, self.ty()?);
                let context = if self.reader.flag()? { Some(self.payload()?) } else { None };
                Ok(Block::reference(name, ty, context))
            }
            block_tag::SELECTION => {
                let source = self.block()?;
                match self.optional_name()? {
                    Some(name) => Block::select_name(source, &name),
                    None => {
                        let index = self.reader.number()?;
                        Block::select_index(source, i64::try_from(index).unwrap_or(i64::MAX))
                    }
                }
            }
            block_tag::STRUCT => self.read_struct(),
            block_tag::CALL => {
                let function = self.block()?;
                let argument = if self.reader.flag()? { Some(self.block()?) } else { None };
                Block::call(function, argument)
            }
            block_tag::LAMBDA => {
                let parameter = if self.reader.flag()? { Some((self.name()?, self.ty()?)) } else { None };
                Block::lambda(parameter, self.block()?)
            }
            block_tag::BLOCK => self.read_locals(),
            block_tag::INTRINSIC => {
                let (ty, uri) = (self.ty()?, self.name()?);
                check_type(&uri, &ty)?;
                Ok(Block::intrinsic(uri, ty))
            }
            block_tag::DATA => {
                let ty = self.ty()?;
                Ok(Block::data(self.payload()?, ty))
            }
            block_tag::COMPILED => {
                let (ty, name) = (self.ty()?, self.name()?);
                Ok(Block::compiled(self.payload()?, name, ty))
            }
            block_tag::PLACEMENT => Ok(Block::placement(self.placement()?)),
            block_tag::LITERAL => {
                let ty = self.ty()?;
                Ok(Block::literal(self.payload()?, ty))
            }
            _ => Err(self.reader.damaged("a kind of block is not known")),
        }
    }

    fn read_struct(&mut self) -> Allowed<Block<H>> {
        let container = self.container()?;
        let mut elements = Vec::new();
        for _ in 0..self.reader.count()? {
            elements.push(Element { name: self.optional_name()?, value: self.block()? });
        }
        Block::structure(elements, container)
    }

    fn read_locals(&mut self) -> Allowed<Block<H>> {
        let mut locals = Vec::new();
        for _ in 0..self.reader.count()? {
            locals.push(Local { name: self.name()?, value: self.block()? });
        }
        Block::with_locals(locals, self.block()?)
    }
}
