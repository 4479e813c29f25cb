"""One cell: compile, run, settle, show."""

from __future__ import annotations

import ast
import linecache
import sys
from inspect import CO_COROUTINE
from types import CodeType

from rlm._cells import Cell, current
from rlm._interrupt import call_user, open_to_interrupts
from rlm._settle import Settler, rewrite_awaits
from rlm.hooks import Hooks

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class CellError(Exception):
    """The cell does not compile, or raised what cannot leave a coroutine as it is.

    ``reason`` is what the user is told, ``hint`` a further line or None.
    """

    def __init__(self, reason: BaseException, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class CellRunner:
    """Runs cells in one namespace."""

    def __init__(self, namespace: dict, hooks: Hooks) -> None:
        self._namespace = namespace
        self._hooks = hooks
        self._settler = Settler()
        self._count = 0

    def open_cell(self, ident: str) -> Cell:
        """The next cell; what the calling context writes from now on is its output."""
        self._count += 1
        cell = Cell(ident, self._count)
        current.set(cell)
        return cell

    async def run(self, cell: Cell, request: dict) -> tuple[object, str | None]:
        """Run the cell and return its settled trailing value with its text, or None and None.

        Raises whatever the cell raises, and CellError.
        """
        if self._hooks.before_cell is not None:
            call_user(self._hooks.before_cell, request, self._namespace)
        body, last = self._compile(cell, request["code"])
        if body is not None:
            await self._evaluate(body)
        if last is None:
            return None, None
        value = await self._settler.settle(await self._evaluate(last))
        if value is None:
            return None, None
        try:
            text = call_user(self._hooks.format_result or repr, value)
        except StopIteration as exc:
            raise CellError(exc) from None
        if not isinstance(text, str):
            raise TypeError(f"format_result() returned {type(text).__name__}, not str")
        return value, text

    def adopt_sources(self, sources: dict[int, str]) -> None:
        """Register cells of an earlier process that revived functions come from, unless this one has cells of their numbers."""
        for number, text in sources.items():
            if number > self._count:
                _register(Cell("", number).filename, text.removesuffix("\n"))
        self._count = max([self._count, *sources])

    def bind(self, value: object) -> None:
        """Make ``value`` the namespace's ``_``."""
        self._settler.remember(value)
        self._namespace["_"] = value

    def _compile(self, cell: Cell, code: str) -> tuple[CodeType | None, CodeType | None]:
        lines = _register(cell.filename, code)
        try:
            return call_user(_compiled, code, cell.filename)
        except Exception as exc:
            hint = None
            if isinstance(exc, SyntaxError):
                _add_source_line(exc, lines)
                if self._hooks.syntax_hint is not None:
                    hint = call_user(self._hooks.syntax_hint, exc, code)
            raise CellError(exc, hint) from None

    async def _evaluate(self, code: CodeType) -> object:
        try:
            if code.co_flags & CO_COROUTINE:
                return await _run_async(code, self._namespace)
            return _run(code, self._namespace)
        except StopIteration as exc:
            raise CellError(exc) from None
        except RuntimeError as exc:
            stopped = exc.__cause__
            if isinstance(stopped, StopIteration) and _is_of(stopped, code) and str(exc) == "coroutine raised StopIteration":
                raise CellError(stopped) from None
            raise


def _register(filename: str, code: str) -> list[str]:
    """Make the source known to tracebacks and return its lines."""
    lines = [f"{line}\n" for line in code.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    linecache.cache[filename] = (len(code), None, lines, filename)
    return lines


def _add_source_line(exc: SyntaxError, lines: list[str]) -> None:
    """What the compiler finds in a syntax tree comes without the text of its line."""
    if exc.text is None and exc.lineno is not None and 0 < exc.lineno <= len(lines):
        exc.text = lines[exc.lineno - 1]


@open_to_interrupts
def _compiled(code: str, filename: str) -> tuple[CodeType | None, CodeType | None]:
    """The statements and the trailing expression; both are compiled before either runs."""
    tree = compile(code, filename, "exec", _FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
    if "await" in code:
        rewrite_awaits(tree)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    body = compile(tree, filename, "exec", _FLAGS, dont_inherit=True) if tree.body else None
    return body, last and compile(last, filename, "eval", _FLAGS, dont_inherit=True)


def _is_of(exc: BaseException, code: CodeType) -> bool:
    """True when ``exc`` left the frame of ``code``, run by ``_run_async``, and not only that of something that this awaited."""
    left = exc.__traceback__
    # Where a coroutine turns an exception into RuntimeError, the awaiting frame is in the first one's traceback since 3.12.
    return left is not None and left.tb_frame.f_code is (_run_async.__code__ if sys.version_info >= (3, 12) else code)


@open_to_interrupts
def _run(code: CodeType, namespace: dict) -> object:
    return eval(code, namespace)


@open_to_interrupts
async def _run_async(code: CodeType, namespace: dict) -> object:
    return await eval(code, namespace)
