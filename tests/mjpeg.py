"""An MJPEG camera on loopback, as many network cameras speak it."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np


@contextmanager
def serve(images: list[np.ndarray], fps: float = 20.0, port: int = 0) -> Iterator[str]:
    """Serve (H, W, 3) uint8 BGR pictures again and again; gives the URL."""
    parts = [cv2.imencode(".jpg", image)[1].tobytes() for image in images]
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            try:
                for part in itertools.cycle(parts):
                    if closing.is_set():
                        return
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(part)}\r\n\r\n"
                    self.wfile.write(head.encode() + part + b"\r\n")
                    time.sleep(1 / fps)
            except OSError:
                return  # the client hung up

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = False  # server_close waits for them: no thread outlives the test
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/video"
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
