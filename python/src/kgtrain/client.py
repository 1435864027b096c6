"""A client for `kgtrain serve`. Uses only the standard library."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import threading
import time
import urllib.parse
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

from .verdict import Verdict

DEFAULT_URL = "http://127.0.0.1:8765"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0
_LONGEST_WAIT = 60.0  # for one HTTP request; a longer judgement is asked for again


class KgtrainError(Exception):
    """Base class of this package's errors."""


class Refused(KgtrainError):
    """The service rejects the request: a wrong task, a malformed module, no valid token, ..."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(f"{message} (status {status})" + (f"; try: {hint}" if hint else ""))
        self.status, self.message, self.hint = status, message, hint


class NotJudged(KgtrainError):
    """There is no verdict in time: the service cannot be reached, or is too busy. Nothing is known about the kernel."""


class Client:
    """A service, for any number of threads. `token` defaults to $KGTRAIN_TOKEN, `url` to $KGTRAIN_SERVE.

    A request has an id of its own, so that it can be sent again after a lost connection: the service judges it once.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, timeout: float = 600.0) -> None:
        self.url = url or os.environ.get("KGTRAIN_SERVE") or DEFAULT_URL
        self.token = token if token is not None else os.environ.get("KGTRAIN_TOKEN", "")
        self.timeout = timeout
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{self.url!r} is not the address of a service, such as {DEFAULT_URL}")
        self._parts = parts
        self._local = threading.local()

    def judge(self, *, task: Optional[str] = None, module: Optional[str] = None, kernel: Optional[str] = None,
              answer: Optional[str] = None, project: Optional[Mapping[str, str]] = None, language: str = "ascendc",
              case: Optional[int] = None, shapes: Sequence[str] = (), dtype: str = "", operator: str = "", eval: bool = False,
              id: Optional[str] = None, timeout: Optional[float] = None) -> Verdict:
        """Judges one kernel (or a model's `answer` with one in a code block, or the files of an operator `project`) for a
        task of the service's data set, or for a PyTorch `module` (docs/guide/own-operators.md). Raises Refused or NotJudged."""
        body: dict[str, Any] = {"id": id or uuid.uuid4().hex, "language": language}
        given = {"task": task, "module": module, "kernel": kernel, "answer": answer, "case": case}
        body.update({key: value for key, value in given.items() if value is not None})
        if project is not None:
            body["project"] = dict(project)
        for key, value in (("shapes", list(shapes)), ("dtype", dtype), ("operator", operator), ("eval", eval)):
            if value:
                body[key] = value
        until = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise NotJudged(f"no verdict from {self.url} in time; the request's id is {body['id']}")
            body["wait"] = min(left, _LONGEST_WAIT)
            status, given_back = self._ask("POST", "/v1/judge", body, until)
            if status == 200:
                return Verdict.of(given_back["verdict"])

    def judge_many(self, requests: Iterable[Mapping[str, Any]], workers: int = 8) -> Iterator[Verdict]:
        """The verdicts for many requests (arguments of judge()), in order, with `workers` requests at a time."""
        with ThreadPoolExecutor(max_workers=workers) as pool:
            yield from pool.map(lambda request: self.judge(**request), list(requests))

    def tasks(self, split: str = "") -> list[str]:
        """The ids of the service's tasks."""
        found: list[str] = []
        while True:
            query = urllib.parse.urlencode({"split": split, "after": found[-1] if found else "", "limit": 1000})
            part = self._get(f"/v1/tasks?{query}")["tasks"]
            found += part
            if len(part) < 1000:
                return found

    def task(self, id: str) -> dict[str, Any]:
        """The service's description of a task: prompt, prompt_dsl, category, split, cases."""
        return self._get("/v1/task?" + urllib.parse.urlencode({"id": id}))

    def health(self) -> dict[str, Any]:
        return self._get("/health")

    def _get(self, path: str) -> dict[str, Any]:
        return self._ask("GET", path, None, time.monotonic() + self.timeout)[1]

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        connection: Optional[http.client.HTTPConnection] = getattr(self._local, "connection", None)
        if connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
            else:
                connection = http.client.HTTPConnection(host, port, timeout=timeout)
            self._local.connection = connection
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

    def _ask(self, method: str, path: str, body: Optional[Mapping[str, Any]], until: float) -> tuple[int, dict[str, Any]]:
        """Asks until there is an answer other than "busy". A request sent twice keeps its id, so it is judged once."""
        text = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json"}
        if text is not None:
            headers["Content-Type"] = "application/json"
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        pause, why = _FIRST_PAUSE, ""
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise NotJudged(f"{self.url} gives no answer: {why or 'the time is up'}")
            wait = pause
            connection = self._connection(min(left + 5, _LONGEST_WAIT + 30))
            try:
                connection.request(method, self._parts.path.rstrip("/") + path, body=text, headers=headers)
                response = connection.getresponse()
                data = response.read()
                status, retry_after = response.status, response.getheader("Retry-After")
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._local.connection = None
                why = f"{type(error).__name__}: {error}"
            else:
                given = _parsed(data)
                if status in (200, 202):
                    return status, given
                said = given.get("error")
                said = said if isinstance(said, dict) else {}
                why = str(said.get("message", "")) or f"status {status}"
                if status not in (429, 500, 502, 503, 504):
                    raise Refused(status, why, str(said.get("hint", "")))
                wait = _seconds(retry_after) or pause
            time.sleep(max(0.0, min(wait, until - time.monotonic())))
            pause = min(2 * pause, _LONGEST_PAUSE)


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        given = json.loads(data or b"{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _seconds(text: Optional[str]) -> float:
    try:
        return min(float(text or 0), 60.0)
    except ValueError:
        return 0.0


_default: Optional[Client] = None


def judge(**request: Any) -> Verdict:
    """Client().judge(...) with the service that $KGTRAIN_SERVE names."""
    global _default
    if _default is None:
        _default = Client()
    return _default.judge(**request)
