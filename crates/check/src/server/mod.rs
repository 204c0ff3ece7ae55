//! The language server: the findings in the files that an editor has open, while they are typed.
//!
//! An editor sends the whole text of a file when it is opened or changed; the answer is a notification with all findings of
//! that file, in place of those before. Settings are those of the nearest `pyproject.toml`, read each time.

mod published;
mod transport;

use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification as Method,
    PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{Request as _, Shutdown};
use lsp_types::{
    MessageType, PublishDiagnosticsParams, ServerCapabilities, ShowMessageParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::json;

/// Serves one editor over standard input and output until it says that it ends. The error says what is wrong with its messages.
pub fn serve() -> Result<(), String> {
    let (connection, writer) = transport::stdio();
    let served = serve_over(&connection).map_err(|error| error.to_string());
    drop(connection);
    // What the editor is still to be told has been written when the writer ends.
    let _ = writer.join();
    served
}

fn serve_over(connection: &Connection) -> Result<(), String> {
    let wrong = |error: ProtocolError| error.to_string();
    let (id, _) = connection.initialize_start().map_err(wrong)?;
    let server = json!({ "name": "graphwright", "version": env!("CARGO_PKG_VERSION") });
    connection
        .initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": server }))
        .map_err(wrong)?;
    let mut is_down = false;
    for message in &connection.receiver {
        let answer = match message {
            Message::Request(request) if is_down => Some(late(request)),
            Message::Request(request) if request.method == Shutdown::METHOD => {
                is_down = true;
                Some(Response::new_ok(request.id, ()).into())
            }
            Message::Request(request) => Some(unknown(request)),
            Message::Notification(notification) if notification.method == Exit::METHOD => {
                return if is_down { Ok(()) } else { Err("`exit` came before `shutdown`".to_owned()) };
            }
            Message::Notification(notification) => noticed(notification),
            Message::Response(_) => None,
        };
        // An editor that is gone takes no answer.
        if answer.is_some_and(|answer| connection.sender.send(answer).is_err()) {
            return Ok(());
        }
    }
    Ok(())
}

fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        ..ServerCapabilities::default()
    }
}

fn late(request: Request) -> Message {
    let message = "the server has been shut down".to_owned();
    Response::new_err(request.id, ErrorCode::InvalidRequest as i32, message).into()
}

fn unknown(request: Request) -> Message {
    let message = format!("`{}` is not served: findings alone are", request.method);
    Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message).into()
}

/// The answer to what an editor says of a file; none to anything else.
fn noticed(notification: Notification) -> Option<Message> {
    match notification.method.as_str() {
        DidOpenTextDocument::METHOD => {
            let file = read::<DidOpenTextDocument>(notification)?.text_document;
            Some(checked(file.uri, file.text, file.version))
        }
        DidChangeTextDocument::METHOD => {
            let said = read::<DidChangeTextDocument>(notification)?;
            let last = said.content_changes.into_iter().last()?;
            Some(checked(said.text_document.uri, last.text, said.text_document.version))
        }
        DidCloseTextDocument::METHOD => {
            let file = read::<DidCloseTextDocument>(notification)?.text_document;
            Some(publish(PublishDiagnosticsParams::new(file.uri, Vec::new(), None)))
        }
        _ => None,
    }
}

/// The parameters of a notification; nothing where they are not those of its method, for nobody waits for an answer.
fn read<M: Method<Params: DeserializeOwned>>(notification: Notification) -> Option<M::Params> {
    serde_json::from_value(notification.params).ok()
}

fn checked(uri: Uri, text: String, version: i32) -> Message {
    match published::diagnostics(&uri, text) {
        Ok(found) => publish(PublishDiagnosticsParams::new(uri, found, Some(version))),
        Err(message) => {
            let said = ShowMessageParams { typ: MessageType::ERROR, message };
            Notification::new(ShowMessage::METHOD.to_owned(), said).into()
        }
    }
}

fn publish(found: PublishDiagnosticsParams) -> Message {
    Notification::new(PublishDiagnostics::METHOD.to_owned(), found).into()
}

#[cfg(test)]
mod tests;
