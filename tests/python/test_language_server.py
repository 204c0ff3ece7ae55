"""`graphwright lsp`, driven by the client of `pygls`."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

pygls = pytest.importorskip("pygls.lsp.client", reason="pygls cannot be had here")
types = pytest.importorskip("lsprotocol.types")

WRONG = (
    "import graphwright as gw\n\n\n@gw.function\ndef f(x):\n    '𝒳'; return gw.zeros([2]) + gw.zeros([3])\n"
)
FINE = WRONG.replace("[3]", "[2]")


async def served(actions):
    """All that the server publishes while `actions(client, next_one)` runs."""
    client = pygls.BaseLanguageClient("tests", "1")
    published: asyncio.Queue = asyncio.Queue()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda said: published.put_nowait(said))
    client.feature(types.WINDOW_SHOW_MESSAGE)(lambda said: published.put_nowait(said))
    await client.start_io(sys.executable, "-m", "graphwright", "lsp")
    options = types.InitializeParams(capabilities=types.ClientCapabilities())
    begun = await client.initialize_async(options)
    client.initialized(types.InitializedParams())
    await actions(client, lambda: asyncio.wait_for(published.get(), 60))
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return begun


def opened(uri, text):
    document = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
    return types.DidOpenTextDocumentParams(text_document=document)


def changed(uri, version, text):
    document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
    whole = types.TextDocumentContentChangeWholeDocument(text=text)
    return types.DidChangeTextDocumentParams(text_document=document, content_changes=[whole])


def test_findings_follow_the_text(tmp_path):
    uri = (tmp_path / "a b.py").as_uri()

    async def actions(client, next_one):
        client.text_document_did_open(opened(uri, WRONG))
        found = await next_one()
        (one,) = found.diagnostics
        assert (found.uri, found.version, one.code, one.source) == (uri, 1, "GW202", "graphwright")
        assert (one.range.start.line, one.range.start.character) == (5, 17)
        assert one.severity is types.DiagnosticSeverity.Error
        assert one.code_description.href.endswith("GW202.md")
        client.text_document_did_change(changed(uri, 2, FINE))
        assert not (await next_one()).diagnostics
        client.text_document_did_change(changed(uri, 3, "def f(:\n"))
        (one,) = (await next_one()).diagnostics
        assert one.code == "GW003"
        closed = types.TextDocumentIdentifier(uri=uri)
        client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=closed))
        assert not (await next_one()).diagnostics

    begun = asyncio.run(served(actions))
    assert begun.server_info.name == "graphwright"
    assert begun.capabilities.text_document_sync.change is types.TextDocumentSyncKind.Full


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [('ignore = ["GW202"]', []), ('select = ["GW2"]', ["GW202"]), ('exclude = ["model.py"]', [])],
)
def test_settings_near_the_file_count(tmp_path, settings, wanted):
    (tmp_path / "pyproject.toml").write_text(f"[tool.graphwright.check]\n{settings}\n")

    async def actions(client, next_one):
        client.text_document_did_open(opened((tmp_path / "model.py").as_uri(), WRONG))
        assert [one.code for one in (await next_one()).diagnostics] == wanted

    asyncio.run(served(actions))


def test_settings_that_cannot_be_read_are_told(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.graphwright.check]\nselekt = []\n")

    async def actions(client, next_one):
        client.text_document_did_open(opened((tmp_path / "model.py").as_uri(), WRONG))
        assert "selekt" in (await next_one()).message

    asyncio.run(served(actions))


def test_an_editor_that_goes_ends_the_server():
    done = subprocess.run(
        [sys.executable, "-m", "graphwright", "lsp"], input=b"", capture_output=True, timeout=60, check=False
    )
    assert done.returncode in (0, 2) and b"Traceback" not in done.stderr and b"panicked" not in done.stderr


def test_messages_of_another_protocol_are_an_error_of_the_world():
    text = b"GET / HTTP/1.1\r\n\r\n"
    done = subprocess.run(
        [sys.executable, "-m", "graphwright", "lsp"], input=text, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2 and done.stderr.startswith(b"graphwright: the editor's messages")
