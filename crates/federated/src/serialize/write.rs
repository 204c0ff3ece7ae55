//! Writes types and blocks.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bytes::Writer;
use super::{MAGIC, Serialized, VERSION, block_tag, type_tag};
use crate::blocks::{Block, BlockKind, Element, Key, Local};
use crate::host::Host;
use crate::types::{Fields, Kind, Type};

/// Serialises a type.
pub fn write_type<H: Host>(ty: &Type<H>) -> Serialized<H> {
    let mut records = Records::new();
    records.number_of_type(ty);
    records.finish()
}

/// Serialises a block.
pub fn write_block<H: Host>(block: &Block<H>) -> Serialized<H> {
    let mut records = Records::new();
    records.number_of_block(block);
    records.finish()
}

/// The records so far. A type or a block has the number of the record that describes it.
struct Records<H: Host> {
    types: Writer,
    blocks: Writer,
    type_numbers: FxHashMap<Type<H>, usize>,
    block_numbers: FxHashMap<usize, usize>,
    containers: Vec<H::Container>,
    payloads: Vec<Arc<H::Payload>>,
    payload_numbers: FxHashMap<usize, usize>,
}

impl<H: Host> Records<H> {
    fn new() -> Records<H> {
        Records {
            types: Writer::default(),
            blocks: Writer::default(),
            type_numbers: FxHashMap::default(),
            block_numbers: FxHashMap::default(),
            containers: Vec::new(),
            payloads: Vec::new(),
            payload_numbers: FxHashMap::default(),
        }
    }

    fn finish(self) -> Serialized<H> {
        let mut writer = Writer { bytes: MAGIC.to_vec() };
        writer.byte(VERSION);
        writer.count(self.type_numbers.len());
        writer.bytes.extend(self.types.bytes);
        writer.count(self.block_numbers.len());
        writer.bytes.extend(self.blocks.bytes);
        Serialized { bytes: writer.bytes, containers: self.containers, payloads: self.payloads }
    }

    fn number_of_type(&mut self, ty: &Type<H>) -> usize {
        if let Some(number) = self.type_numbers.get(ty) {
            return *number;
        }
        let children: Vec<usize> =
            ty.children().into_iter().map(|child| self.number_of_type(child)).collect();
        self.write_type_record(ty, &children);
        let number = self.type_numbers.len();
        self.type_numbers.insert(ty.clone(), number);
        number
    }

    fn write_type_record(&mut self, ty: &Type<H>, children: &[usize]) {
        match ty.kind() {
            Kind::Tensor(dtype, dimensions) => {
                self.types.byte(type_tag::TENSOR);
                self.types.text(dtype.name());
                self.types.option(dimensions.as_deref(), |writer, sizes| {
                    writer.count(sizes.len());
                    for size in sizes {
                        writer.option(*size, |writer, size| writer.number(size.cast_unsigned()));
                    }
                });
            }
            Kind::Struct(fields) => self.write_fields(fields, children),
            Kind::Sequence(_) => {
                self.types.byte(type_tag::SEQUENCE);
                self.types.count(children[0]);
            }
            Kind::Function(..) => {
                self.types.byte(type_tag::FUNCTION);
                let (result, parameter) =
                    (children[children.len() - 1], (children.len() > 1).then(|| children[0]));
                self.types.option(parameter, Writer::count);
                self.types.count(result);
            }
            Kind::Abstract(label) => {
                self.types.byte(type_tag::ABSTRACT);
                self.types.text(label);
            }
            Kind::Placement => self.types.byte(type_tag::PLACEMENT),
            Kind::Federated(federated) => {
                self.types.byte(type_tag::FEDERATED);
                self.types.text(federated.placement.uri());
                self.types.byte(u8::from(federated.all_equal));
                self.types.count(children[0]);
            }
        }
    }

    fn write_fields(&mut self, fields: &Fields<H>, children: &[usize]) {
        let container = fields.container.as_ref().map(|container| self.number_of_container(container));
        self.types.byte(type_tag::STRUCT);
        self.types.option(container, Writer::count);
        self.types.count(children.len());
        for (field, child) in fields.elements.iter().zip(children) {
            self.types.option(field.name.as_deref(), Writer::text);
            self.types.count(*child);
        }
    }

    fn number_of_container(&mut self, container: &H::Container) -> usize {
        let known = self.containers.iter().position(|known| known == container);
        known.unwrap_or_else(|| {
            self.containers.push(container.clone());
            self.containers.len() - 1
        })
    }

    fn number_of_payload(&mut self, payload: &Arc<H::Payload>) -> usize {
        *self.payload_numbers.entry(Arc::as_ptr(payload).addr()).or_insert_with(|| {
            self.payloads.push(Arc::clone(payload));
            self.payloads.len() - 1
        })
    }

    fn number_of_block(&mut self, block: &Block<H>) -> usize {
        if let Some(number) = self.block_numbers.get(&block.address()) {
            return *number;
        }
        let children: Vec<usize> =
            block.children().into_iter().map(|child| self.number_of_block(child)).collect();
        self.write_block_record(block, &children);
        let number = self.block_numbers.len();
        self.block_numbers.insert(block.address(), number);
        number
    }

    fn write_block_record(&mut self, block: &Block<H>, children: &[usize]) {
        match block.kind() {
            BlockKind::Reference(name, context) => {
                let ty = self.number_of_type(block.ty());
                let context = context.as_ref().map(|context| self.number_of_payload(context));
                self.blocks.byte(block_tag::REFERENCE);
                self.blocks.text(name);
                self.blocks.count(ty);
                self.blocks.option(context, Writer::count);
            }
            BlockKind::Selection(_, key) => self.write_selection(key, children[0]),
            BlockKind::Struct(elements) => self.write_struct(block.ty(), elements, children),
            BlockKind::Call(..) => {
                self.blocks.byte(block_tag::CALL);
                self.blocks.count(children[0]);
                self.blocks.option(children.get(1).copied(), Writer::count);
            }
            BlockKind::Lambda(parameter, _) => {
                let parameter = parameter.as_ref().map(|(name, ty)| (name, self.number_of_type(ty)));
                self.blocks.byte(block_tag::LAMBDA);
                self.blocks.option(parameter, |writer, (name, ty)| {
                    writer.text(name);
                    writer.count(ty);
                });
                self.blocks.count(children[0]);
            }
            BlockKind::Block(locals, _) => self.write_locals(locals, children),
            BlockKind::Intrinsic(uri) => self.write_leaf(block_tag::INTRINSIC, block, Some(uri), None),
            BlockKind::Data(content) => self.write_leaf(block_tag::DATA, block, None, Some(content)),
            BlockKind::Compiled(leaf, name) => {
                self.write_leaf(block_tag::COMPILED, block, Some(name), Some(leaf));
            }
            BlockKind::Placement(placement) => {
                self.blocks.byte(block_tag::PLACEMENT);
                self.blocks.text(placement.uri());
            }
            BlockKind::Literal(value) => self.write_leaf(block_tag::LITERAL, block, None, Some(value)),
        }
    }

    /// Writes a block without children: its tag, type, name and payload.
    fn write_leaf(
        &mut self,
        tag: u8,
        block: &Block<H>,
        name: Option<&str>,
        payload: Option<&Arc<H::Payload>>,
    ) {
        let ty = self.number_of_type(block.ty());
        let payload = payload.map(|payload| self.number_of_payload(payload));
        self.blocks.byte(tag);
        self.blocks.count(ty);
        name.into_iter().for_each(|name| self.blocks.text(name));
        payload.into_iter().for_each(|payload| self.blocks.count(payload));
    }

    fn write_selection(&mut self, key: &Key, source: usize) {
        self.blocks.byte(block_tag::SELECTION);
        self.blocks.count(source);
        let (name, index) = match key {
            Key::Name(name) => (Some(name), None),
            Key::Index(index) => (None, Some(*index)),
        };
        self.blocks.option(name, |writer, name| writer.text(name));
        index.into_iter().for_each(|index| self.blocks.count(index));
    }

    fn write_struct(&mut self, ty: &Type<H>, elements: &[Element<H>], children: &[usize]) {
        let container = ty.fields().and_then(|fields| fields.container.as_ref());
        let container = container.map(|container| self.number_of_container(container));
        self.blocks.byte(block_tag::STRUCT);
        self.blocks.option(container, Writer::count);
        self.blocks.count(elements.len());
        for (element, child) in elements.iter().zip(children) {
            self.blocks.option(element.name.as_deref(), Writer::text);
            self.blocks.count(*child);
        }
    }

    fn write_locals(&mut self, locals: &[Local<H>], children: &[usize]) {
        self.blocks.byte(block_tag::BLOCK);
        self.blocks.count(locals.len());
        for (local, child) in locals.iter().zip(children) {
            self.blocks.text(&local.name);
            self.blocks.count(*child);
        }
        self.blocks.count(children[locals.len()]);
    }
}
