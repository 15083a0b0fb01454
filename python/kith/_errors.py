"""kith's exceptions. All are kith.Error; each also is the built-in exception that fits it."""
from __future__ import annotations


class Error(Exception):
    """The base of all exceptions that kith raises.

    ``code`` names the kind of error: "invalid_argument", "non_finite", "too_large", "out_of_memory", "io",
    "cancelled", "unavailable", "failed" or "internal".
    """

    code = "internal"


class ArgumentError(Error, ValueError):
    """An argument whose value is wrong; also points that are not finite, or too many of them."""

    code = "invalid_argument"


class ArgumentTypeError(Error, TypeError):
    """An argument whose type is wrong."""

    code = "invalid_argument"


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    code = "io"


class OutOfMemoryError(Error, MemoryError):
    """Memory that could not be allocated."""

    code = "out_of_memory"


class Cancelled(Error, RuntimeError):
    """The program itself stopped the call, with CancelToken.cancel. Ctrl-C raises KeyboardInterrupt."""

    code = "cancelled"


class UnavailableError(Error, RuntimeError):
    """A device or a feature that this machine or this build does not have."""

    code = "unavailable"


class ProgramError(Error, RuntimeError):
    """The program ``kith`` failed: kith.verify found a wrong result, or kith.report could not read a file."""

    code = "failed"


class InternalError(Error, RuntimeError):
    """A fault inside kith."""


_BY_CODE = {each.code: each for each in (ArgumentError, FileError, OutOfMemoryError, Cancelled, UnavailableError,
                                         InternalError)}


def error_of(code: str, message: str) -> Error:
    """The exception for an error of the library; called by the extension module."""
    error = _BY_CODE.get(code, ArgumentError)(message)
    error.code = code
    return error
