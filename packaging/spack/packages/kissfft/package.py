# Spack has no KISS FFT, which kith's sample universes need.
from spack.package import *


class Kissfft(CMakePackage):
    """A fast Fourier transform that tries to keep it simple."""

    homepage = "https://github.com/mborgerding/kissfft"
    git = "https://github.com/mborgerding/kissfft.git"

    license("BSD-3-Clause")

    version("131.1.0", tag="131.1.0")

    depends_on("c", type="build")
    depends_on("cmake@3.6:", type="build")

    def cmake_args(self):
        return [
            self.define("KISSFFT_DATATYPE", "float"),
            self.define("KISSFFT_STATIC", False),
            self.define("KISSFFT_TEST", False),
            self.define("KISSFFT_TOOLS", False),
        ]
