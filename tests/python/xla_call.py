"""Calls the handlers of kith.jax as XLA does, for platforms that this machine does not have."""
import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_void_p, cast

import numpy as np

from kith import _kith

TYPES = {"u1": 6, "i4": 4, "i8": 5, "u4": 8, "f4": 11, "f8": 12}


class Buffer(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("type", c_int), ("data", c_void_p), ("rank", c_int64),
                ("extents", POINTER(c_int64))]


class Buffers(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("size", c_int64), ("types", POINTER(c_int)),
                ("buffers", POINTER(POINTER(Buffer)))]


class Name(Structure):
    _fields_ = [("text", c_char_p), ("length", c_size_t)]


class Scalar(Structure):
    _fields_ = [("type", c_int), ("value", c_void_p)]


class Array(Structure):
    _fields_ = [("type", c_int), ("size", c_size_t), ("data", c_void_p)]


class Attributes(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("size", c_int64), ("types", POINTER(c_int)),
                ("names", POINTER(POINTER(Name))), ("values", POINTER(c_void_p))]


class Error(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("message", c_char_p), ("kind", c_int)]


CREATE = ctypes.CFUNCTYPE(c_void_p, POINTER(Error))


class Functions(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("version_size", c_size_t), ("version_extension", c_void_p),
                ("major", c_int), ("minor", c_int), ("internal", c_void_p), ("create_error", CREATE)]


class Call(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("xla", POINTER(Functions)), ("context", c_void_p),
                ("stage", c_int), ("in_", Buffers), ("out", Buffers), ("attributes", Attributes)]


def _array_of(kind, values):
    return (kind * max(1, len(values)))(*values)


def _buffers(arrays, kept):
    """Of arrays with shape, dtype and __array_interface__ or __cuda_array_interface__."""
    made = []
    for array in arrays:
        found = getattr(array, "__array_interface__", None) or array.__cuda_array_interface__
        extents = _array_of(c_int64, array.shape)
        made.append(Buffer(0, None, TYPES[array.dtype.str[1:]], found["data"][0], len(array.shape), extents))
        kept.append(extents)
    places = _array_of(POINTER(Buffer), [ctypes.pointer(each) for each in made])
    kept += [made, places]
    return Buffers(0, None, len(made), None, places)


def _attribute(value, kept):
    array = np.atleast_1d(np.asarray(value))
    kept.append(array)
    kind = TYPES[array.dtype.str[1:]]
    made = Scalar(kind, array.ctypes.data) if np.ndim(value) == 0 else Array(kind, array.size, array.ctypes.data)
    kept.append(made)
    return (3 if np.ndim(value) == 0 else 1), cast(ctypes.pointer(made), c_void_p)


def call(platform, name, inputs, outputs, **attributes):
    """Writes to the outputs; raises RuntimeError with the message of the handler."""
    kept, messages = [], []

    @CREATE
    def create(error):
        messages.append(error.contents.message.decode())
        return 1

    functions = Functions(ctypes.sizeof(Functions), None, 0, None, 0, 1, None, create)
    values = [_attribute(value, kept) for value in attributes.values()]
    names = [Name(text.encode(), len(text)) for text in attributes]
    given = Attributes(0, None, len(names), _array_of(c_int, [kind for kind, _ in values]),
                       _array_of(POINTER(Name), [ctypes.pointer(each) for each in names]),
                       _array_of(c_void_p, [value.value for _, value in values]))
    frame = Call(ctypes.sizeof(Call), None, ctypes.pointer(functions), None, 0, _buffers(inputs, kept), _buffers(outputs, kept),
                 given)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    handler = ctypes.CFUNCTYPE(c_void_p, POINTER(Call))(pointer(_kith.xla_handlers[platform][name], None))
    if handler(byref(frame)):
        raise RuntimeError(messages[0])
