"""Puts the parts together."""

from .pages import Pages
from .store import Store
from .web import Router


def build(store: Store) -> Router:
    router = Router()
    pages = Pages(store)
    router.add("GET", "/workspaces/{workspace}/pages", pages.index)
    router.add("GET", "/workspaces/{workspace}/pages/{page}", pages.show)
    return router
