#!/usr/bin/env python3
"""Counts lines of code, and holds kops to its budget.

    python tools/code_size.py            writes the table of kops into ARCHITECTURE.md
    python tools/code_size.py --check    writes nothing, fails when the table is stale or the budget is exceeded

A line of code has something on it that is neither comment nor docstring. Tests, the conformance suite and generated
tables do not count. It reads the source text only.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGET = {"kops": 14_000}
ENGINES = ("numpy", "jax", "torch", "tensorflow", "openvino")
_OPEN, _CLOSE = "<!-- code size: tools/code_size.py -->", "<!-- end of code size -->"
_BLANK = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def code_lines(source: str) -> int:
    """The number of lines of code in a module's text."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _BLANK:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
                lines.difference_update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def is_counted(path: Path) -> bool:
    """Whether a module is code of a library: no test, not generated."""
    parts = path.parts
    tests = {"conformance", "tests", "attacks", "testdata"} & set(parts)
    return not (tests or path.name.endswith("_test.py") or path.name in ("_public.py", "conftest.py"))


def counts(library: str) -> dict[str, int]:
    """Lines of code by path inside a library."""
    root = ROOT / "libs" / library / library
    modules = sorted(path for path in root.rglob("*.py") if is_counted(path.relative_to(root)))
    return {path.relative_to(root).as_posix(): code_lines(path.read_text("utf-8")) for path in modules}


def table(found: dict[str, int]) -> str:
    """The modules of kops: families by engine, then the others."""
    rows: dict[str, dict[str, int]] = {}
    others: dict[str, int] = {}
    for path, lines in found.items():
        parts = path.removesuffix(".py").split("/")
        if parts[0] == "ops" and parts[-1] != "__init__":
            rows.setdefault(parts[1], {})["ops"] = lines
        elif parts[0] == "backends" and len(parts) == 3:
            family = "(core)" if parts[2] in ("__init__", "core", "table", "gaps") else parts[2]
            row = rows.setdefault(family, {})
            row[parts[1]] = row.get(parts[1], 0) + lines
        else:
            others["/".join(parts)] = lines
    columns = ("ops", *ENGINES)
    totals = [sum(row.get(column, 0) for row in rows.values()) for column in columns]
    lines = [
        "| family | declarations | NumPy | JAX | PyTorch | TensorFlow | OpenVINO |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {family} | " + " | ".join(str(row.get(c, "")) for c in columns) + " |"
            for family, row in sorted(rows.items())
        ),
        "| **all** | " + " | ".join(f"**{total}**" for total in totals) + " |",
        "",
        f"Everything else, {sum(others.values())} lines: "
        + ", ".join(f"{name} {count}" for name, count in sorted(others.items()) if count)
        + ".",
    ]
    return "\n".join(lines)


def main() -> int:
    """Write or check; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something is wrong")
    arguments = parser.parse_args()
    failed = False
    for library in sorted(path.name for path in (ROOT / "libs").iterdir() if (path / path.name).is_dir()):
        total = sum(counts(library).values())
        budget = BUDGET.get(library)
        over = budget is not None and total > budget
        failed |= over
        note = f" of {budget}" + (": over the budget" if over else "") if budget else ""
        print(f"{library:12} {total:6}{note}")
    page = ROOT / "ARCHITECTURE.md"
    text = page.read_text("utf-8")
    start, end = text.index(_OPEN) + len(_OPEN), text.index(_CLOSE)
    found = counts("kops")
    body = f"\n{sum(found.values())} lines of code, of {BUDGET['kops']}.\n\n{table(found)}\n"
    if text[start:end] != body:
        if arguments.check:
            print("The table in ARCHITECTURE.md is stale: run python tools/code_size.py.", file=sys.stderr)
            failed = True
        else:
            page.write_text(text[:start] + body + text[end:], "utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
