#!/usr/bin/env python3
"""The shared libraries need nothing at run time but what they should, and export nothing but kith's own interface.

Usage: libraries.py INCLUDE_DIR LIBRARY...
"""
import pathlib
import re
import subprocess
import sys

SYSTEM = {"libstdc++", "libm", "libgcc_s", "libc", "libpthread", "libdl", "ld-linux-x86-64"}
NEEDS = {
    "libkith": {"libtbb", "libhwy"},
    "libkith_io": {"libkith", "libfmt", "libhdf5", "libhdf5_serial", "libpng16", "libz"},
    "libkith_sample": {"libkith"},
    "libkith_gpu": {"libkith"},
    "libkith_mpi": {"libkith", "libmpi", "libopen-pal", "libopen-rte"},
}
# Names that libkith exports for the others (KITH_SHARED), beyond the interface.
SHARED = {"Workers", "Memory", "NoMemory", "CallerException", "saved_bytes", "write_saved", "adopt_saved",
          "formatted_values", "throw_error", "rethrow_as_error", "library_depth",
          "choose_target", "Parts", "GroupParts", "DeviceSource", "refuse_device", "set_device_backend",
          "DeviceCalls", "device_of_process", "CellsBuilder", "deepest", "curve_places", "check_redshift_space",
          "join_to_midpoints", "midpoint_reach", "squeezed_points", "with_length_across",
          "bodies_of", "compressed_points", "find_candidates", "potentials_at", "subtract_terms",
          # Atoms, the sky and lengths of points, for ranks.
          "AtomBins", "LengthParts", "check_line_of_sight", "expect_unit", "limit_of", "neighbor_list_of",
          "positive_limit_of",
          # Clusters and pairs of points, for ranks in parts.
          "ClusterParts", "CorrelationJob", "HistogramCount", "PairParts", "SpanningParts", "add_part",
          "analytic_correlation", "analytic_histogram", "check_condense_options", "check_spanning_options",
          "histogram_of_counts", "make_histogram_count", "spanning_options",
          # Properties of extreme data are computed in one frame on all ranks.
          "Magnitudes", "PropertyColumns", "scale_by",
          # Arguments are checked by one text, for one process and for ranks.
          "check_atom_length", "check_catalogue", "check_centers", "check_cutoffs", "check_linking_lengths", "check_systems", "check_columns", "check_dbscan_options", "check_fof_options",
          "check_grouped", "check_histogram", "check_spheres", "check_subhalos",
          "check_tree_options", "check_types", "check_values", "check_view", "checked_types", "cpus_of_thread"}


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def base_name(file):
    return re.sub(r"\.so.*", "", file)


def needed(library):
    return {base_name(match[1]) for line in lines("readelf", "-d", library)
            if (match := re.search(r"\(NEEDED\).*\[(.*)\]", line))}


def exported(library):
    """The names of functions and classes in namespace kith, and whatever is not in it; the standard library's templates,
    which it marks for export itself, are left out."""
    names = set()
    for line in lines("nm", "-DC", "--defined-only", library):
        symbol = re.sub(r"^kith::Array<[^>]*> (?=kith::)", "", line.split(" ", 2)[2])  # the result of a template
        first = re.search(r"(?<![:\w])(\w+)::(?:(?:sample|sky|detail|mpi|gpu)::)?(\w+)", symbol)
        if not first or first[1] not in ("std", "__gnu_cxx"):
            names.add(first[2] if first and first[1] == "kith" else symbol)
    return names


def complaints(library, public):
    name = base_name(library.name)
    for other in sorted(needed(library) - SYSTEM - NEEDS[name]):
        yield f"{name} needs {other}"
    # A library that throws an exception type of libkith has its type information as well.
    hidden = SHARED if name == "libkith" else {"CallerException"}
    for symbol in sorted(exported(library) - public - hidden):
        yield f"{name} exports {symbol}"


def main(include, libraries):
    public = set()
    for header in pathlib.Path(include).rglob("*.h*"):
        public |= set(re.findall(r"\w+", header.read_text(encoding="utf-8")))
    found = [line for library in libraries for line in complaints(pathlib.Path(library), public)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
