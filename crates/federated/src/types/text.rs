//! The texts of types: compact, formatted, and as a constructor.

use std::fmt;

use super::node::{Dimensions, Field, Fields, Kind, Type};
use crate::dtype::DType;
use crate::host::Host;
use crate::page::Page;

impl<H: Host> Type<H> {
    /// Returns the text of the type on one line.
    pub fn compact(&self) -> String {
        self.written(false)
    }

    /// Returns the text of the type with each element of a struct on a line of its own.
    pub fn formatted(&self) -> String {
        self.written(true)
    }

    fn written(&self, formatted: bool) -> String {
        let mut page = Page::new(formatted);
        write(&mut page, self);
        page.finish()
    }

    /// Returns the text of the constructor call that makes the type.
    pub fn constructor(&self) -> String {
        match self.kind() {
            Kind::Tensor(dtype, dimensions) => tensor_constructor(*dtype, dimensions.as_ref()),
            Kind::Struct(fields) => struct_constructor(fields),
            Kind::Sequence(element) => format!("SequenceType({})", element.constructor()),
            Kind::Function(parameter, result) => {
                let parameter = parameter.as_ref().map_or("None".to_owned(), Type::constructor);
                format!("FunctionType({parameter}, {})", result.constructor())
            }
            Kind::Abstract(label) => format!("AbstractType('{label}')"),
            Kind::Placement => "PlacementType()".to_owned(),
            Kind::Federated(federated) => {
                let all_equal = if federated.all_equal { "True" } else { "False" };
                let member = federated.member.constructor();
                format!(
                    "FederatedType({member}, PlacementLiteral('{}'), {all_equal})",
                    federated.placement.uri()
                )
            }
        }
    }
}

impl<H: Host> fmt::Display for Type<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.compact())
    }
}

impl<H: Host> fmt::Debug for Type<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.constructor())
    }
}

fn write<H: Host>(page: &mut Page, ty: &Type<H>) {
    match ty.kind() {
        Kind::Tensor(dtype, dimensions) => page.push(&tensor(*dtype, dimensions.as_ref())),
        Kind::Struct(fields) => write_fields(page, &fields.elements),
        Kind::Sequence(element) => {
            write(page, element);
            page.push("*");
        }
        Kind::Function(parameter, result) => {
            page.push("(");
            parameter.iter().for_each(|parameter| write(page, parameter));
            page.push(" -> ");
            write(page, result);
            page.push(")");
        }
        Kind::Abstract(label) => page.push(label),
        Kind::Placement => page.push("placement"),
        Kind::Federated(federated) => {
            let (open, close) = if federated.all_equal { ("", "@") } else { ("{", "}@") };
            page.push(open);
            write(page, &federated.member);
            page.push(close);
            page.push(federated.placement.name());
        }
    }
}

fn write_fields<H: Host>(page: &mut Page, fields: &[Field<H>]) {
    if fields.is_empty() {
        return page.push("<>");
    }
    page.push("<");
    page.indent();
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            page.comma();
        }
        page.label(field.name.as_deref());
        write(page, &field.ty);
    }
    page.outdent();
    page.push(">");
}

fn tensor(dtype: DType, dimensions: Option<&Dimensions>) -> String {
    let name = dtype.name();
    match dimensions {
        None => format!("'{name}'(shape=None)"),
        Some(dimensions) if dimensions.is_empty() => name.to_owned(),
        Some(dimensions) => format!("{name}[{}]", listed(dimensions, "?", ",")),
    }
}

fn tensor_constructor(dtype: DType, dimensions: Option<&Dimensions>) -> String {
    let name = dtype.class_name();
    match dimensions {
        None => format!("TensorType(np.{name}, None)"),
        Some(dimensions) if dimensions.is_empty() => format!("TensorType(np.{name})"),
        Some(dimensions) => format!("TensorType(np.{name}, {})", dimensions_text(dimensions)),
    }
}

/// Returns dimensions as a tuple is written.
pub fn dimensions_text(dimensions: &[Option<i64>]) -> String {
    let comma = if dimensions.len() == 1 { "," } else { "" };
    format!("({}{comma})", listed(dimensions, "None", ", "))
}

fn listed(dimensions: &[Option<i64>], unknown: &str, separator: &str) -> String {
    let texts = dimensions.iter().map(|size| size.map_or(unknown.to_owned(), |size| size.to_string()));
    texts.collect::<Vec<String>>().join(separator)
}

fn struct_constructor<H: Host>(fields: &Fields<H>) -> String {
    let member = |field: &Field<H>| match &field.name {
        Some(name) => format!("('{name}', {})", field.ty.constructor()),
        None => field.ty.constructor(),
    };
    let members: Vec<String> = fields.elements.iter().map(member).collect();
    let container =
        fields.container.as_ref().map(|container| format!(" as {}", H::container_name(container)));
    format!("StructType([{}]){}", members.join(", "), container.unwrap_or_default())
}
