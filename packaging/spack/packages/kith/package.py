# From a clone of kith: spack repo add packaging/spack && spack install kith
import pathlib

from spack.package import *


class Kith(CMakePackage):
    """Exact nearest neighbors and friends-of-friends groups in huge point sets."""

    # The clone that this file is part of.
    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("io", default=True, description="Files, results and pictures (HDF5, libpng, zlib)")
    variant("sample", default=True, description="Sample points and universes")
    variant("mpi", default=False, description="Points that are distributed over MPI ranks")
    variant("shared", default=True, description="Shared libraries")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("intel-oneapi-tbb@2021.8:")
    depends_on("highway@1.0.3:")
    depends_on("fmt@9:")
    depends_on("xxhash")
    depends_on("libpng", when="+io")
    depends_on("zlib-api", when="+io")
    depends_on("hdf5~mpi", when="+io")
    depends_on("cli11", when="+io +sample")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        with_program = self.spec.satisfies("+io +sample")
        return [
            self.define_from_variant("KITH_IO", "io"),
            self.define_from_variant("KITH_SAMPLE", "sample"),
            self.define_from_variant("KITH_MPI", "mpi"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("KITH_CLI", with_program),
            self.define("KITH_GPU", False),
            self.define("KITH_TESTS", False),
            self.define("KITH_EXAMPLES", False),
        ]
