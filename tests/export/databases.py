"""Databases for tests of SQL: each answers a query over a data frame."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

Answers = Callable[[pd.DataFrame, str], list[Any]]
"""A function that returns the value of an SQL expression for each row of a frame."""


def by_duckdb(frame: pd.DataFrame, expression: str) -> list[Any]:
    with duckdb.connect() as connection:
        connection.register("given", frame)
        query = f"SELECT {expression} AS answer FROM given ORDER BY row_number"
        return [answer for (answer,) in connection.execute(query).fetchall()]


def by_sqlite(frame: pd.DataFrame, expression: str) -> list[Any]:
    """Truth values are stored as 0 and 1."""
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("given", connection, index=False)
        query = f"SELECT {expression} FROM given ORDER BY row_number"
        return [answer for (answer,) in connection.execute(query).fetchall()]


def by_sqlite_text(frame: pd.DataFrame, expression: str) -> list[Any]:
    """All columns are stored as text, as by SQLite's `.import`; truth values are the words of a CSV file."""
    truths = frame.select_dtypes("bool").columns
    text = frame.assign(**{name: frame[name].map({True: "true", False: "false"}) for name in truths})
    with closing(sqlite3.connect(":memory:")) as connection:
        text.to_sql("given", connection, index=False, dtype=dict.fromkeys(text.columns, "TEXT"))
        query = f"SELECT {expression} FROM given ORDER BY 0 + row_number"
        return [answer for (answer,) in connection.execute(query).fetchall()]


_TYPES = {"b": "BOOLEAN", "i": "BIGINT", "f": "DOUBLE PRECISION"}


class Postgres:
    """A PostgreSQL server of its own, in a temporary folder and without a network port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"

    def run(self, *command: str, text: str | None = None) -> str:
        # PostgreSQL refuses to run as root.
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        program, *arguments = command
        done = subprocess.run(
            [*user, str(_program(program)), *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def answers(self, frame: pd.DataFrame, expression: str) -> list[Any]:
        columns = ", ".join(
            f'"{name.replace(chr(34), chr(34) * 2)}" {_TYPES.get(frame[name].dtype.kind, "TEXT")}'
            for name in frame.columns
        )
        rows = frame.to_csv(index=False, header=False, na_rep="\\N")
        script = f"""
            DROP TABLE IF EXISTS given; CREATE TABLE given ({columns});
            COPY given FROM STDIN (FORMAT csv, NULL '\\N');\n{rows}\\.
            SELECT json_agg({expression} ORDER BY row_number) FROM given;
        """
        out = self.run(
            "psql", "-h", str(self.folder), "-d", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1", text=script
        )
        found: list[Any] = json.loads(out)
        return found


def _program(name: str) -> str | None:
    """Return the path of a program of PostgreSQL; Debian's are outside of the search path."""
    folders = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


@contextlib.contextmanager
def postgres() -> Iterator[Postgres]:
    """Start a server; skips the test that asks for it where PostgreSQL is not installed."""
    if not all(map(_program, ("initdb", "pg_ctl", "psql"))):
        pytest.skip("PostgreSQL is not installed: the Debian package is called postgresql")
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        server = Postgres(Path(name))
        if os.geteuid() == 0:
            if shutil.which("runuser") is None:
                pytest.skip("PostgreSQL cannot be started by root without runuser")
            shutil.chown(name, "postgres")
        server.run("initdb", "-D", str(server.data), "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        options = f"-k {name} -c listen_addresses='' -c fsync=off"
        server.run("pg_ctl", "-D", str(server.data), "-o", options, "-w", "-l", f"{name}/log", "start")
        try:
            yield server
        finally:
            server.run("pg_ctl", "-D", str(server.data), "-m", "immediate", "-w", "stop")
