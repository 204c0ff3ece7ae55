//! Small steps of reading, for whoever holds a lexer.

use std::str::FromStr;

use gw_types::DType;

use super::error::ParseError;
use super::lexer::{Lexer, Token};
use crate::Op;

/// Phrases that can be read from a lexer, one at a time.
pub(super) trait Reads<'a> {
    fn lexer(&mut self) -> &mut Lexer<'a>;

    fn op(&mut self) -> Result<Op, ParseError> {
        let op = if let Token::Word(word) = self.lexer().peek() { Op::from_text(word) } else { None };
        let op = op.ok_or_else(|| self.lexer().unexpected("the name of an op"))?;
        self.lexer().take()?;
        Ok(op)
    }

    fn dtype(&mut self) -> Result<DType, ParseError> {
        let word = self.word("an element type")?;
        word.parse().map_err(|message: String| self.lexer().error(message))
    }

    fn value_name(&mut self) -> Result<&'a str, ParseError> {
        let Token::Value(name) = *self.lexer().peek() else {
            return Err(self.lexer().unexpected("`%value`"));
        };
        self.lexer().take()?;
        Ok(name)
    }

    fn end(&mut self) -> Result<(), ParseError> {
        let ended = *self.lexer().peek() == Token::End;
        if ended { Ok(()) } else { Err(self.lexer().unexpected("the end")) }
    }

    /// `@1`
    fn position(&mut self) -> Result<usize, ParseError> {
        let Token::At(digits) = *self.lexer().peek() else {
            return Err(self.lexer().unexpected("`@position`"));
        };
        let at = digits.parse().map_err(|_| self.lexer().unexpected("the position of an operand"))?;
        self.lexer().take()?;
        Ok(at)
    }

    fn numbers(&mut self) -> Result<Vec<usize>, ParseError> {
        self.bracketed(|p| p.number("an axis"))
    }

    fn bracketed<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        self.sign('[')?;
        self.list(']', item)
    }

    /// `key=…`
    fn after<T>(
        &mut self,
        key: &str,
        item: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.keyword(key)?;
        self.sign('=')?;
        item(self)
    }

    /// Items between commas, and the sign that closes them.
    fn list<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        if self.eat(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(',')? {
                self.sign(close)?;
                return Ok(items);
            }
        }
    }

    fn number<N: FromStr>(&mut self, wanted: &str) -> Result<N, ParseError> {
        let error = self.lexer().unexpected(wanted);
        self.word(wanted)?.parse().map_err(|_| error)
    }

    fn word(&mut self, wanted: &str) -> Result<&'a str, ParseError> {
        let Token::Word(word) = *self.lexer().peek() else {
            return Err(self.lexer().unexpected(wanted));
        };
        self.lexer().take()?;
        Ok(word)
    }

    fn quoted(&mut self) -> Result<String, ParseError> {
        let Token::Text(text) = self.lexer().peek().clone() else {
            return Err(self.lexer().unexpected("a text in double quotes"));
        };
        self.lexer().take()?;
        Ok(text)
    }

    fn keyword(&mut self, word: &str) -> Result<(), ParseError> {
        if self.said(word)? { Ok(()) } else { Err(self.lexer().unexpected(&format!("`{word}`"))) }
    }

    fn said(&mut self, word: &str) -> Result<bool, ParseError> {
        let said = *self.lexer().peek() == Token::Word(word);
        if said {
            self.lexer().take()?;
        }
        Ok(said)
    }

    fn sign(&mut self, sign: char) -> Result<(), ParseError> {
        if self.eat(sign)? { Ok(()) } else { Err(self.lexer().unexpected(&format!("`{sign}`"))) }
    }

    fn eat(&mut self, sign: char) -> Result<bool, ParseError> {
        let found = *self.lexer().peek() == Token::Sign(sign);
        if found {
            self.lexer().take()?;
        }
        Ok(found)
    }
}

impl<'a> Reads<'a> for Lexer<'a> {
    fn lexer(&mut self) -> &mut Lexer<'a> {
        self
    }
}
