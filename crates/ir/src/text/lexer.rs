//! The words of the text form.

use super::error::ParseError;

/// One word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    /// `while`, `f32`, `axis`, `-1.5e-7`
    Word(&'a str),
    /// `%x`, without the sign
    Value(&'a str),
    /// `@f` or `@1`, without the sign
    At(&'a str),
    /// In double quotes, with escapes resolved.
    Text(String),
    /// One sign; `->` is `>`.
    Sign(char),
    /// Nothing is left.
    End,
}

impl Token<'_> {
    /// As an error message shows it.
    pub(super) fn shown(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Value(name) => format!("`%{name}`"),
            Token::At(name) => format!("`@{name}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// Text left to read, with one word of lookahead.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    next: Token<'a>,
    next_line: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, ParseError> {
        let mut lexer = Self { rest: text, line: 1, next: Token::End, next_line: 1 };
        lexer.take()?;
        Ok(lexer)
    }

    /// The word that comes next.
    pub(super) fn peek(&self) -> &Token<'a> {
        &self.next
    }

    /// Takes the word that comes next.
    pub(super) fn take(&mut self) -> Result<Token<'a>, ParseError> {
        let following = self.scan()?;
        self.next_line = self.line;
        Ok(std::mem::replace(&mut self.next, following))
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.next_line, message: message.into() }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> ParseError {
        self.error(format!("{wanted} is wanted, not {}", self.next.shown()))
    }

    fn scan(&mut self) -> Result<Token<'a>, ParseError> {
        self.skip_space();
        let mut chars = self.rest.chars();
        let Some(first) = chars.next() else { return Ok(Token::End) };
        let after = chars.as_str();
        match first {
            '%' => Ok(Token::Value(self.run(after, is_name_char))),
            '@' if !after.starts_with('"') => Ok(Token::At(self.run(after, is_name_char))),
            '@' => Ok(Token::Sign(self.sign(after, first))),
            '"' => self.quoted(after),
            '-' if after.starts_with('>') => Ok(Token::Sign(self.sign(&after[1..], '>'))),
            '-' | '+' => Ok(Token::Word(self.word(after))),
            c if is_name_char(c) => Ok(Token::Word(self.word(after))),
            sign => Ok(Token::Sign(self.sign(after, sign))),
        }
    }

    fn skip_space(&mut self) {
        loop {
            let trimmed = self.rest.trim_start();
            self.line += self.rest[..self.rest.len() - trimmed.len()].matches('\n').count();
            self.rest = trimmed;
            if !trimmed.starts_with('#') {
                return;
            }
            self.rest = &trimmed[trimmed.find('\n').unwrap_or(trimmed.len())..];
        }
    }

    fn sign(&mut self, after: &'a str, sign: char) -> char {
        self.rest = after;
        sign
    }

    fn run(&mut self, text: &'a str, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
        self.rest = &text[end..];
        &text[..end]
    }

    /// A name or number; the sign of an exponent belongs to it.
    fn word(&mut self, after: &'a str) -> &'a str {
        let all = self.rest;
        self.run(after, is_name_char);
        let so_far = &all[..all.len() - self.rest.len()];
        let number = so_far.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
        let hex = so_far.starts_with("0x");
        if number && !hex && so_far.ends_with(['e', 'E']) && self.rest.starts_with(['-', '+']) {
            self.run(&self.rest[1..], is_name_char);
        }
        &all[..all.len() - self.rest.len()]
    }

    fn quoted(&mut self, after: &'a str) -> Result<Token<'a>, ParseError> {
        let mut text = String::new();
        let mut chars = after.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => {
                    self.rest = chars.as_str();
                    return Ok(Token::Text(text));
                }
                '\\' if chars.as_str().starts_with('x') => {
                    let number =
                        chars.as_str().get(1..3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                    text.extend(number.map(char::from));
                    chars = chars.as_str().get(3..).unwrap_or_default().chars();
                }
                '\\' => text.extend(chars.next().map(unescape)),
                '\n' => break,
                c => text.push(c),
            }
        }
        Err(ParseError { line: self.line, message: "a text is not closed".to_owned() })
    }
}

fn unescape(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        other => other,
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}
