"""Screenshots as small PNG files of at most 256 colours, as many as our screens have.

Chromium reads the picture it took; what is written here is the palette and the file.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

__all__ = ["small_png"]

COLOURS = 256

_PIXELS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  let text = "";
  for (let at = 0; at < data.length; at += 32768) {
    text += String.fromCharCode(...data.subarray(at, at + 32768));
  }
  return [width, height, btoa(text)];
}"""


def small_png(page: Page, png: bytes) -> bytes:
    """The same picture in its most frequent colours; the rest become the nearest of them."""
    width, height, pixels = page.evaluate(_PIXELS, base64.b64encode(png).decode())
    rgba = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height * width, 4)
    palette, places = _reduced(rgba[:, :3])
    rows = places.reshape(height, width)
    # Every row begins with the number of its filter: none.
    filtered = np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", palette.tobytes()),
            _chunk(b"IDAT", zlib.compress(filtered, 9)),
            _chunk(b"IEND", b""),
        )
    )


def _reduced(rgb: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The palette (up to 256 × 3), and for each pixel its place in it."""
    colours, inverse, counts = np.unique(rgb, axis=0, return_inverse=True, return_counts=True)
    palette = colours[np.argsort(-counts, kind="stable")[:COLOURS]]
    nearest = np.empty(len(colours), np.uint8)
    for start in range(0, len(colours), 1_000):
        part = colours[start : start + 1_000].astype(np.int32)
        distance = ((part[:, None] - palette.astype(np.int32)[None]) ** 2).sum(axis=2)
        nearest[start : start + 1_000] = distance.argmin(axis=1)
    return palette, nearest[inverse.ravel()]


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
