//! The server's answers to messages.

use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};

use super::{Server, Step, transport};

const WRONG: &str =
    "import graphwright as gw\n\n\n@gw.function\ndef f(x):\n    '𝒳𝒳'; return gw.zeros([2]) + gw.zeros([3])\n";

fn request(id: i32, method: &str, params: Value) -> Message {
    Request::new(id.into(), method.to_owned(), params).into()
}

fn notice(method: &str, params: Value) -> Message {
    Notification::new(method.to_owned(), params).into()
}

fn opened(uri: &str, text: &str) -> Message {
    let file = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
    notice("textDocument/didOpen", json!({ "textDocument": file }))
}

/// All that the server says to these messages.
fn said(messages: impl IntoIterator<Item = Message>) -> (Vec<Value>, Option<Result<(), String>>) {
    let (mut server, mut said) = (Server::default(), Vec::new());
    for message in messages {
        match server.take(message) {
            Step::Answer(answer) => said.push(serde_json::to_value(answer).expect("messages are JSON")),
            Step::Nothing => {}
            Step::End(result) => return (said, Some(result)),
        }
    }
    (said, None)
}

fn begin() -> [Message; 2] {
    [request(1, "initialize", json!({ "capabilities": {} })), notice("initialized", json!({}))]
}

/// The same between its answers to the first and the last.
fn answers(messages: Vec<Message>) -> Vec<Value> {
    let end = [request(9, "shutdown", Value::Null), notice("exit", Value::Null)];
    let (said, ended) = said(begin().into_iter().chain(messages).chain(end));
    assert_eq!(ended, Some(Ok(())));
    said[1..said.len() - 1].to_vec()
}

#[test]
fn a_text_that_is_opened_is_checked() {
    let said = answers(vec![opened("file:///nowhere/a%20b.py", WRONG)]);
    let params = &said[0]["params"];
    assert_eq!((&params["uri"], &params["version"]), (&json!("file:///nowhere/a%20b.py"), &json!(1)));
    let found = &params["diagnostics"][0];
    assert_eq!(found["code"], "GW202");
    assert_eq!((&found["severity"], &found["source"]), (&json!(1), &json!("graphwright")));
    // Each letter before it is two units of UTF-16.
    assert_eq!(found["range"]["start"], json!({ "line": 5, "character": 19 }));
    assert!(found["message"].as_str().is_some_and(|text| text.contains("\nhelp: ")));
}

#[test]
fn a_change_replaces_what_was_found_and_closing_forgets_it() {
    let (uri, fine) = ("untitled:new", WRONG.replace("[3]", "[2]"));
    let file = json!({ "uri": uri, "version": 2 });
    let said = answers(vec![
        opened(uri, WRONG),
        notice(
            "textDocument/didChange",
            json!({ "textDocument": file, "contentChanges": [{ "text": fine }] }),
        ),
        notice("textDocument/didClose", json!({ "textDocument": { "uri": uri } })),
    ]);
    let counts: Vec<_> =
        said.iter().map(|one| one["params"]["diagnostics"].as_array().map_or(9, Vec::len)).collect();
    assert_eq!(counts, [1, 0, 0]);
}

#[test]
fn what_is_not_served_is_refused_and_what_is_not_understood_is_passed_over() {
    let said = answers(vec![
        request(2, "textDocument/hover", json!({})),
        notice("textDocument/didOpen", json!({ "nothing": true })),
        notice("$/setTrace", json!({ "value": "off" })),
    ]);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0]["error"]["code"], -32601);
}

#[test]
fn what_is_no_message_is_answered_and_the_next_one_read() {
    let framed = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let good = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
    let wrong =
        ["{abc}", r#"{"id":4}"#, r#"{"jsonrpc":"2.0","method":"a","params":{"text":"\ud800"}}"#, "[1]"];
    let mut text = String::from("Content-Length: 99999999999999999\r\n\r\nContent-Length: -1\r\n\r\n\r\n");
    wrong.iter().for_each(|body| text += &framed(body));
    text += &framed(good);
    let (mut input, mut codes, mut messages) = (text.as_bytes(), Vec::new(), 0);
    while let Some(read) = transport::read(&mut input).expect("the input is in memory") {
        match read {
            Ok(_) => messages += 1,
            Err(answer) => codes.push(answer["error"]["code"].as_i64().expect("a code")),
        }
    }
    assert_eq!((messages, codes), (1, vec![-32700, -32700, -32700, -32700, -32600, -32700, -32600]));
}

#[test]
fn requests_behind_shutdown_are_refused_and_exit_ends() {
    let end =
        [request(2, "shutdown", Value::Null), request(3, "late", json!({})), notice("exit", Value::Null)];
    let (said, ended) = said(begin().into_iter().chain(end));
    assert_eq!((&said[1]["result"], &said[2]["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert_eq!(ended, Some(Ok(())));
}

#[test]
fn an_exit_without_shutdown_and_a_request_before_initialize_are_errors() {
    let (_, ended) = said(begin().into_iter().chain([notice("exit", Value::Null)]));
    assert_eq!(ended, Some(Err("`exit` came before `shutdown`".to_owned())));
    let (said, _) = said([request(1, "shutdown", Value::Null)]);
    assert_eq!(said[0]["error"]["code"], json!(-32002));
}
