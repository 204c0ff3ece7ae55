//! Messages over standard input and output. What is no message is answered, and the next one read: an editor that sends a lone
//! surrogate keeps its server.

use std::io::{self, BufRead, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// So many bytes a message may have.
const MOST_BYTES: usize = 1 << 28;

/// The next message, or the answer to what is none; nothing at the end of the input.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Message, Value>>> {
    let Some(size) = size(input)? else { return Ok(None) };
    if size > MOST_BYTES {
        return Ok(Some(Err(refusal(ErrorCode::ParseError, "the message has no length, or a wrong one"))));
    }
    let mut text = vec![0; size];
    input.read_exact(&mut text)?;
    let Ok(value) = serde_json::from_slice::<Value>(&text) else {
        return Ok(Some(Err(refusal(ErrorCode::ParseError, "the message is no JSON"))));
    };
    let read = serde_json::from_value(value);
    Ok(Some(
        read.map_err(|error| refusal(ErrorCode::InvalidRequest, &format!("this is no message: {error}"))),
    ))
}

/// The length of the next message by its head; a wrong one is longer than any.
fn size(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let (mut found, mut line) = (usize::MAX, Vec::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        match text.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                found = value.trim().parse().unwrap_or(usize::MAX);
            }
            Some(_) => {}
            None if text.trim().is_empty() => return Ok(Some(found)),
            None => {}
        }
    }
}

fn refusal(code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code as i32, "message": message } })
}

/// Writes a message.
pub fn write(message: &Value) {
    let mut message = message.clone();
    message["jsonrpc"] = "2.0".into();
    let text = message.to_string();
    let mut output = io::stdout().lock();
    // An editor that is gone takes no answer.
    let _ = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| output.flush());
}
