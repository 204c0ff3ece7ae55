//! The language server: the findings in the files that an editor has open, while they are typed.
//!
//! An editor sends the whole text of a file when it is opened or changed; the answer is a notification with all findings of
//! that file, in place of those before. Settings are those of the nearest `pyproject.toml`, read each time.

mod published;
mod transport;

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification as Method,
    PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{Initialize, Request as _, Shutdown};
use lsp_types::{
    MessageType, PublishDiagnosticsParams, ServerCapabilities, ShowMessageParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::json;

/// Serves one editor over standard input and output until it says that it ends. The error says what is wrong with its messages.
pub fn serve() -> Result<(), String> {
    let mut input = std::io::stdin().lock();
    let mut server = Server::default();
    while let Ok(Some(read)) = transport::read(&mut input) {
        match read.map(|message| server.take(message)) {
            Err(answer) => transport::write(&answer),
            Ok(Step::Answer(answer)) => transport::write(&json!(answer)),
            Ok(Step::Nothing) => {}
            Ok(Step::End(result)) => return result,
        }
    }
    match server.stage {
        Stage::New => Err("they end before `initialize`".to_owned()),
        Stage::Ready | Stage::Down => Ok(()),
    }
}

/// The state of one session.
#[derive(Debug, Default)]
struct Server {
    stage: Stage,
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    New,
    Ready,
    /// The editor has asked for the end.
    Down,
}

/// The effect of a message.
enum Step {
    Nothing,
    Answer(Message),
    /// The server ends.
    End(Result<(), String>),
}

impl Server {
    fn take(&mut self, message: Message) -> Step {
        match message {
            Message::Request(request) => Step::Answer(self.answer(request).into()),
            Message::Notification(notification) if notification.method == Exit::METHOD => match self.stage {
                Stage::Down => Step::End(Ok(())),
                Stage::New | Stage::Ready => Step::End(Err("`exit` came before `shutdown`".to_owned())),
            },
            Message::Notification(notification) => noticed(notification).map_or(Step::Nothing, Step::Answer),
            Message::Response(_) => Step::Nothing,
        }
    }

    fn answer(&mut self, request: Request) -> Response {
        let refused =
            |code: ErrorCode, message: String| Response::new_err(request.id.clone(), code as i32, message);
        match (&self.stage, request.method.as_str()) {
            (Stage::New, Initialize::METHOD) => {
                self.stage = Stage::Ready;
                let server = json!({ "name": "graphwright", "version": env!("CARGO_PKG_VERSION") });
                Response::new_ok(request.id, json!({ "capabilities": capabilities(), "serverInfo": server }))
            }
            (Stage::New, _) => {
                refused(ErrorCode::ServerNotInitialized, "`initialize` comes first".to_owned())
            }
            (Stage::Down, _) => {
                refused(ErrorCode::InvalidRequest, "the server has been shut down".to_owned())
            }
            (Stage::Ready, Shutdown::METHOD) => {
                self.stage = Stage::Down;
                Response::new_ok(request.id, ())
            }
            (Stage::Ready, method) => {
                let message = format!("`{method}` is not served: findings alone are");
                refused(ErrorCode::MethodNotFound, message)
            }
        }
    }
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
