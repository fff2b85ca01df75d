"""Sending the logs of each epoch to a server."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
import warnings
from typing import Any

import numpy as np

from kspec import public
from ktrain.callbacks.callback import Callback


@public("keras.callbacks.RemoteMonitor")
class RemoteMonitor(Callback):
    """Posts the logs of each epoch as JSON.

    Args:
        root: address of the server.
        path: on the server.
        field: form field that holds the JSON, unless `send_as_json`.
        headers: of the request.
        send_as_json: the body is JSON rather than a form.
    """

    def __init__(
        self, root: str = "http://localhost:9000", path: str = "/publish/epoch/end/", field: str = "data",
        headers: dict[str, str] | None = None, send_as_json: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if not root.startswith(("http://", "https://")):
            raise ValueError(f"root is an http or https address, not {root!r}.")
        self.root = root
        self.path = path
        self.field = field
        self.headers = headers
        self.send_as_json = send_as_json

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        values = {k: v.item() if isinstance(v, (np.ndarray, np.generic)) else v for k, v in (logs or {}).items()}
        text = json.dumps({"epoch": epoch, **values})
        headers = dict(self.headers or {})
        if self.send_as_json:
            body = text.encode()
            headers.setdefault("Content-Type", "application/json")
        else:
            body = urllib.parse.urlencode({self.field: text}).encode()
        request = urllib.request.Request(self.root + self.path, body, headers, method="POST")
        try:
            urllib.request.urlopen(request, timeout=10).close()
        except (urllib.error.URLError, OSError) as error:
            warnings.warn(f"RemoteMonitor could not reach {self.root}: {error}", stacklevel=2)
