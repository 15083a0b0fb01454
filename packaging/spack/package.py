# A package for Spack: copy it to var/spack/repos/.../packages/kith/package.py, set `git` or `url`
# to where the sources are, and run `spack install kith`.
from spack.package import *


class Kith(CMakePackage):
    """Exact nearest neighbors and friends-of-friends groups in huge point sets."""

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("io", default=True, description="Files, results and pictures (HDF5, libpng, zlib)")
    variant("sample", default=True, description="Sample points and universes (KISS FFT)")
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
    depends_on("kissfft", when="+sample")
    depends_on("cli11", when="+io +sample")

    def cmake_args(self):
        with_program = self.spec.satisfies("+io +sample")
        return [
            self.define_from_variant("KITH_IO", "io"),
            self.define_from_variant("KITH_SAMPLE", "sample"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("KITH_CLI", with_program),
            self.define("KITH_TESTS", False),
            self.define("KITH_EXAMPLES", False),
        ]
