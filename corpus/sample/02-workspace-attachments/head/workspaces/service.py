"""Puts the parts together."""

from pathlib import Path

from .attachments import Attachments
from .blobs import Blobs
from .pages import Pages
from .store import Store
from .web import Router


def build(store: Store, files: Path) -> Router:
    router = Router()
    pages = Pages(store)
    router.add("GET", "/workspaces/{workspace}/pages", pages.index)
    router.add("GET", "/workspaces/{workspace}/pages/{page}", pages.show)
    attachments = Attachments(store, Blobs(files))
    router.add("GET", "/workspaces/{workspace}/attachments", attachments.index)
    router.add("POST", "/workspaces/{workspace}/attachments", attachments.upload)
    router.add("GET", "/workspaces/{workspace}/attachments/{attachment}", attachments.download)
    router.add("DELETE", "/workspaces/{workspace}/attachments/{attachment}", attachments.remove)
    return router
