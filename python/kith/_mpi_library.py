"""libkith_mpi, and the structs of its C interface (kith_mpi.h)."""
from __future__ import annotations

import ctypes
import functools
import os
import sys

_NAMES = ("libkith_mpi.so", "libkith_mpi.so.0.1")
CODES = ("invalid_argument", "non_finite", "too_large", "out_of_memory", "cancelled", "io", "unavailable", "internal")
Stop = ctypes.CFUNCTYPE(ctypes.c_int)


class Points(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("dimension", ctypes.c_int),
                ("is_double", ctypes.c_int), ("stride", ctypes.c_ssize_t), ("box", ctypes.c_void_p),
                ("origin", ctypes.c_void_p), ("ids", ctypes.c_void_p), ("keep", ctypes.c_int),
                ("drop", ctypes.c_int), ("threads", ctypes.c_int), ("stop", Stop)]


class FofOptions(ctypes.Structure):
    _fields_ = [("linking_length", ctypes.c_double), ("b", ctypes.c_double), ("mean_separation", ctypes.c_double),
                ("volume", ctypes.c_double), ("min_size", ctypes.c_uint64), ("strict", ctypes.c_int),
                ("wants_rows", ctypes.c_int)]


class Groups(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint64), ("first", ctypes.c_uint64), ("rows", ctypes.c_uint64),
                ("sizes", ctypes.POINTER(ctypes.c_int64)), ("lowest", ctypes.POINTER(ctypes.c_int64)),
                ("linking_length", ctypes.c_double)]


class DensityOptions(ctypes.Structure):
    _fields_ = [("k", ctypes.c_size_t), ("is_wendland", ctypes.c_int), ("mass", ctypes.c_void_p)]


class HaloOptions(ctypes.Structure):
    _fields_ = [("fof", FofOptions), ("velocity", ctypes.c_void_p), ("mass", ctypes.c_void_p),
                ("gravity", ctypes.c_double), ("velocity_type", ctypes.c_int)]


class Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("width", ctypes.c_size_t),
                ("type", ctypes.c_int)]


class Halos(ctypes.Structure):
    _fields_ = [("groups", Groups), ("column", ctypes.POINTER(Column)), ("columns", ctypes.c_size_t),
                ("memory", ctypes.c_void_p)]


class KnnOptions(ctypes.Structure):
    _fields_ = [("k", ctypes.c_size_t), ("exclude_self", ctypes.c_int), ("strict", ctypes.c_int),
                ("max_radius", ctypes.c_double), ("is_limited", ctypes.c_int)]


@functools.cache
def library() -> ctypes.CDLL:
    """libkith_mpi."""
    place = os.environ.get("KITH_MPI_LIBRARY", "")
    here = [os.path.dirname(__file__), os.path.join(sys.prefix, "lib"), ""]  # "": where the system looks
    folders = [place] if place else here
    tries = [place] if os.path.isfile(place) else [os.path.join(folder, name) for folder in folders for name in _NAMES]
    reasons = []
    for name in tries:
        try:
            found = ctypes.CDLL(name)
        except OSError as error:
            reasons.append(str(error))
            continue
        found.kith_mpi_error.restype = ctypes.c_char_p
        return found
    raise ImportError("comm: libkith_mpi was not found (" + "; ".join(reasons) + "); build kith with MPI and set "
                      "KITH_MPI_LIBRARY to the folder of libkith_mpi.so")
