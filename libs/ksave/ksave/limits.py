"""How much a file may ask for before it is refused."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Iterable


def visible(text: str) -> str:
    """Text of a file as it may be printed: control characters, which could steer a terminal, as escapes.

    Marks that reverse the direction of writing count among them, since they can make one name look like another.
    """
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class PrintableError(Exception):
    """Its words may quote a file; what could steer a terminal is shown as escapes."""

    def __str__(self) -> str:
        return visible(super().__str__())


class UnsafeFileError(PrintableError, ValueError):
    """A file asks for something that a model file has no reason to ask for; nothing of it was run."""


class CorruptFileError(PrintableError, ValueError):
    """A file is damaged, cut short, or not of the kind its name says."""


def check_array(shape: Iterable[int], itemsize: int, where: str) -> None:
    """Refuse shapes that numpy has no array for; it multiplies the other sizes of empty ones, too."""
    sizes = list(shape)
    if len(sizes) > _MAX_RANK or math.prod(size for size in sizes if size) * max(itemsize, 1) >= 1 << 62:
        raise CorruptFileError(f"{where} is of a shape that no array has ({str(sizes)[:100]}).")


_MAX_RANK = 32  # of HDF5 and of numpy 1


@dataclasses.dataclass(frozen=True)
class Limits:
    """Bounds on what reading one file may cost. The defaults leave room for any model in use.

    Args:
        json_bytes: size of one JSON document.
        json_depth: nesting of one JSON document.
        json_values: numbers, strings, lists and dictionaries in one JSON document.
        members: entries in an archive.
        ratio: unpacked size over stored size, of an archive, its members, an HDF5 file or its data sets.
        free_bytes: sizes below which `ratio` is not looked at.
        unpacked_bytes: unpacked size of a whole archive.
        hdf5_objects: groups and data sets in one HDF5 file.
        hdf5_depth: nesting of groups.
        attribute_bytes: size of one HDF5 attribute.
    """

    json_bytes: int = 256 << 20
    json_depth: int = 400
    json_values: int = 10_000_000
    members: int = 100_000
    ratio: int = 200
    free_bytes: int = 16 << 20
    unpacked_bytes: int = 4 << 40
    hdf5_objects: int = 5_000_000
    hdf5_depth: int = 200
    attribute_bytes: int = 256 << 20

    def variable_bytes(self, stored: int) -> int:
        """Bytes that the variables of a model may take whose weights fill `stored` bytes in the file.

        Optimizers have a few variables for each weight, quantized weights are read into wider ones.
        """
        return 16 * stored + 16 * self.free_bytes


DEFAULT = Limits()
