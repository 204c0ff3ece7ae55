//! Reads the compact text of a type.

use super::intern::Interns;
use super::node::{Dimensions, Field, Type};
use crate::dtype::DType;
use crate::placement::Placement;
use crate::refusal::{Allowed, Refusal};

impl<H: Interns> Type<H> {
    /// Reads a type from its compact text; a word that is no element type is a type variable.
    pub fn parse(text: &str) -> Allowed<Type<H>> {
        let mut reader = Reader { text, at: 0 };
        let ty = reader.read_type()?;
        if reader.rest().is_empty() { Ok(ty) } else { Err(reader.unexpected("the end")) }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Allowed<()> {
        if self.take(token) { Ok(()) } else { Err(self.unexpected(&format!("`{token}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Refusal {
        Refusal::wrong_value(format!("expected {wanted} at position {} of the type `{}`", self.at, self.text))
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn read_type<H: Interns>(&mut self) -> Allowed<Type<H>> {
        let mut ty = self.read_plain()?;
        loop {
            if self.take("*") {
                ty = Type::sequence_of(ty)?;
            } else if self.take("@") {
                ty = Type::federated_of(ty, self.read_placement()?, Some(true))?;
            } else {
                return Ok(ty);
            }
        }
    }

    fn read_plain<H: Interns>(&mut self) -> Allowed<Type<H>> {
        if self.take("<") {
            self.read_struct()
        } else if self.take("(") {
            self.read_function()
        } else if self.take("{") {
            let member = self.read_type()?;
            self.expect("}@")?;
            Type::federated_of(member, self.read_placement()?, Some(false))
        } else if self.take("'") {
            let dtype = DType::from_name(self.word()).ok_or_else(|| self.unexpected("an element type"))?;
            self.expect("'(shape=None)")?;
            Ok(Type::tensor(dtype, None))
        } else {
            self.read_word()
        }
    }

    fn read_placement(&mut self) -> Allowed<Placement> {
        let word = self.word();
        let found = Placement::ALL.iter().find(|placement| placement.name() == word);
        found.copied().ok_or_else(|| self.unexpected("a placement"))
    }

    fn read_function<H: Interns>(&mut self) -> Allowed<Type<H>> {
        let parameter = if self.rest().starts_with(" -> ") { None } else { Some(self.read_type()?) };
        self.expect(" -> ")?;
        let result = self.read_type()?;
        self.expect(")")?;
        Type::function_of(parameter, result)
    }

    fn read_struct<H: Interns>(&mut self) -> Allowed<Type<H>> {
        let mut elements = Vec::new();
        while !self.take(">") {
            if !elements.is_empty() {
                self.expect(",")?;
            }
            let start = self.at;
            let word = self.word();
            let name = if !word.is_empty() && self.take("=") { Some(word.into()) } else { None };
            if name.is_none() {
                self.at = start;
            }
            elements.push(Field { name, ty: self.read_type()? });
        }
        Type::structure(elements, None)
    }

    fn read_word<H: Interns>(&mut self) -> Allowed<Type<H>> {
        let word = self.word();
        if word.is_empty() {
            return Err(self.unexpected("a type"));
        }
        if word == "placement" {
            return Ok(Type::placement());
        }
        match DType::from_name(word) {
            Some(dtype) => Ok(Type::tensor(dtype, Some(self.read_dimensions()?))),
            None => Ok(Type::variable(word)),
        }
    }

    fn read_dimensions(&mut self) -> Allowed<Dimensions> {
        let mut sizes = Vec::new();
        if !self.take("[") {
            return Ok(sizes.into());
        }
        while !self.take("]") {
            if !sizes.is_empty() {
                self.expect(",")?;
            }
            sizes.push(self.read_size()?);
        }
        Ok(sizes.into())
    }

    fn read_size(&mut self) -> Allowed<Option<i64>> {
        if self.take("?") {
            return Ok(None);
        }
        let sign = if self.take("-") { "-" } else { "" };
        let size = format!("{sign}{}", self.word()).parse();
        size.map(Some).map_err(|_| self.unexpected("a size"))
    }
}
