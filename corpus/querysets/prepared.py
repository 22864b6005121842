"""Queries whose statement is built once in each process.

Building a statement costs the ORM many times what the database needs to answer it by a key. What every page of a seat
asks is therefore written as a `prepared` function: it takes a `Slot` for each value that changes from call to call,
and returns an ordinary query set, so that visibility stays in `visible_to` and nowhere else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Expression, QuerySet
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)
from django.db.transaction import TransactionManagementError

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler

    from corpus.models import User

Row = TypeVar("Row")
Make = Callable[[Sequence[Any]], Any]


class Slot(Expression):
    """Stands in a query for a number or a text that is given when it runs."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        """Leave a place for the value."""
        return "%s", (self,)


def asking(user: Slot) -> User:
    """Return the person of a prepared query, for `visible_to`. No public id is drawn for somebody who is not stored."""
    from corpus.models import User

    return User(pk=user, public_id="")


@dataclass(frozen=True)
class Statement:
    """A statement as the backend takes it, and what makes a result of each row."""

    sql: str
    # Values as they are, and slots for those that are still to come.
    params: tuple[object, ...]
    converters: tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]
    make: Make
    takes_locks: bool


class Prepared(Generic[Row]):
    """A query of one shape; see `prepared`."""

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self.build = build
        self.__doc__ = build.__doc__

    @cached_property
    def statement(self) -> Statement:
        """The statement, built by the first call. The database's kind does not change while a process lives."""
        queryset = self.build(**{name: Slot(name) for name in inspect.signature(self.build).parameters})
        query = queryset.query
        compiler = query.get_compiler(DEFAULT_DB_ALIAS)
        sql, params = compiler.as_sql()
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        return Statement(
            sql=sql,
            params=tuple(params),
            converters=tuple((at, tuple(each), column) for at, (each, column) in converters.items()),
            make=maker_of(queryset, compiler),
            takes_locks=query.select_for_update,
        )

    def all(self, **values: int | str) -> list[Row]:
        """Run the query with a value for each slot and return its results."""
        statement, connection = self.statement, connections[DEFAULT_DB_ALIAS]
        if statement.takes_locks and connection.get_autocommit():
            # Django says so while it builds a statement, and this one may be built already.
            raise TransactionManagementError("A query that takes locks needs a transaction.")
        params: list[Any] = [values[param.name] if isinstance(param, Slot) else param for param in statement.params]
        with connection.cursor() as cursor:
            cursor.execute(statement.sql, params)
            found = cursor.fetchall()
        results = []
        for columns in found:
            row = list(columns)
            for at, converters, column in statement.converters:
                for convert in converters:
                    row[at] = convert(row[at], column, connection)
            results.append(statement.make(row))
        return results

    def first(self, **values: int | str) -> Row | None:
        """Run the query and return its first result, if there is one."""
        return next(iter(self.all(**values)), None)


def prepared(build: Callable[..., QuerySet[Any, Row]]) -> Prepared[Row]:
    """Make a prepared query of a function that returns one, given a `Slot` for each of its parameters.

    It is called once, so it may depend on nothing but its slots: no clock, no setting that a test changes. Results are
    what the query set would give: instances with what they select, tuples of `values_list`, or its flat values.
    """
    return Prepared(build)


def maker_of(queryset: QuerySet[Any, Any], compiler: SQLCompiler) -> Make:
    """Return what makes a result of a row whose values are converted."""
    kind = queryset._iterable_class
    if kind is FlatValuesListIterable:
        return lambda row: row[0]
    if kind is ValuesListIterable:
        return tuple
    assert kind is ModelIterable, f"{kind.__name__} cannot be prepared"
    return instances_of(compiler)


def instances_of(compiler: SQLCompiler) -> Make:
    """Return what makes an instance of a row, with the instances it selects and its annotations."""
    select, klass, annotations = compiler.select, compiler.klass_info, compiler.annotation_col_map
    model = klass["model"]
    begin, end = klass["select_fields"][0], klass["select_fields"][-1] + 1
    names = [column.target.attname for column, *_ in select[begin:end]]
    # The stubs know a later Django, whose function takes one argument more.
    populators = get_related_populators(klass, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]

    def make(row: Sequence[Any]) -> Any:
        instance = model.from_db(DEFAULT_DB_ALIAS, names, row[begin:end])
        for populator in populators:
            populator.populate(row, instance)
        for name, at in annotations.items():
            setattr(instance, name, row[at])
        return instance

    return make
