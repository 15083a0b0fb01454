# What is built. A component that is ON must be possible; one that is AUTO is built where the libraries that it needs
# are found. As part of another project only what that project links is compiled.
option(KITH_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(KITH_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(KITH_CLI "Build the program kith; needs kith_io and kith_sample" ${PROJECT_IS_TOP_LEVEL})
option(KITH_INSTALL "Install the libraries and what is built of the rest" ${PROJECT_IS_TOP_LEVEL})
option(KITH_BENCH "Build the benchmarks" OFF)
option(KITH_PYTHON "Build the extension module of the Python package" OFF)
option(KITH_FUZZ "Build the fuzzers; needs clang" OFF)
option(KITH_PRECOMPILED "Compile common headers of the tests and the program once; ccache does not keep what uses them" OFF)
# The presets for developers go without: after a change fewer files are compiled again, and ccache finds what the release
# build has compiled for the wheel and for the tests of installations.
option(KITH_UNITY "Compile several files at once: quicker from nothing, slower after a small change" ON)
option(KITH_WERROR "Treat warnings as errors (set by the presets, never for a consumer)" OFF)
option(KITH_SLOW_CHECKS "Check every invariant of every tree that is built" OFF)
# A third of the time that the kernels take to compile. Sanitizers learn nothing from the other targets.
option(KITH_ONE_TARGET "Compile the kernels for AVX2 alone" OFF)
set(KITH_SANITIZE "" CACHE STRING "Sanitizers for all code, e.g. address,undefined")
# The presets sanitize the rest, without MPI.
set(KITH_SANITIZE_RANKS "" CACHE STRING "Sanitizers for kith_mpi, its tests and the loops alone, e.g. address")

if(PROJECT_IS_TOP_LEVEL)
  set(KITH_COMPONENT_DEFAULT ON)
  option(BUILD_SHARED_LIBS "Build shared libraries" ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
else()
  set(KITH_COMPONENT_DEFAULT AUTO)
  # The libraries that a static kith links must be known where the project around it links kith.
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
endif()

# kith_component(VARIABLE MEANING): ON, OFF or AUTO; ${need} is then what find_package calls are to say.
macro(kith_component variable meaning)
  set(${variable} ${KITH_COMPONENT_DEFAULT} CACHE STRING "${meaning}: ON, OFF, or AUTO where it is possible")
  set_property(CACHE ${variable} PROPERTY STRINGS ON OFF AUTO)
  if(${variable} STREQUAL "AUTO")
    set(need QUIET)
  else()
    set(need REQUIRED)
  endif()
endmacro()

# kith_decide(VARIABLE CONDITION...): turns AUTO to ON or OFF for this run.
macro(kith_decide variable)
  if(${variable} STREQUAL "AUTO")
    if(${ARGN})
      set(${variable} ON)
    else()
      set(${variable} OFF)
      message(STATUS "${variable}: left out, since not everything that it needs is here")
    endif()
  endif()
endmacro()

kith_component(KITH_IO "Build kith_io: files, results and pictures")
if(KITH_IO)
  find_package(PNG ${need})
  find_package(ZLIB ${need})
  # By pkg-config: CMake's own module for HDF5 wants a C compiler. Where a machine has several, the serial one.
  find_package(PkgConfig ${need})
  if(PKG_CONFIG_FOUND)
    pkg_search_module(KITH_HDF5 ${need} IMPORTED_TARGET GLOBAL hdf5-serial hdf5)
  endif()
  kith_decide(KITH_IO PNG_FOUND AND ZLIB_FOUND AND KITH_HDF5_FOUND)
endif()

kith_component(KITH_SAMPLE "Build kith_sample: points to play with")
if(KITH_SAMPLE)
  # Debian has kissfft as a shared library only, and its package goes by BUILD_SHARED_LIBS unless told.
  find_package(kissfft CONFIG ${need} COMPONENTS SHARED)
  kith_decide(KITH_SAMPLE kissfft_FOUND)
endif()

# Even at the top level it is built where MPI is found: most machines have none.
set(KITH_MPI AUTO CACHE STRING "")
kith_component(KITH_MPI "Build kith_mpi: neighbors over many machines")
if(KITH_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI ${need} COMPONENTS CXX)
  kith_decide(KITH_MPI MPI_CXX_FOUND)
endif()

# Headers alone: nothing of OpenCL is linked. Debian: opencl-headers.
set(KITH_GPU AUTO CACHE STRING "")
kith_component(KITH_GPU "Build kith_gpu: neighbors and groups on OpenCL devices")
if(KITH_GPU)
  find_path(KITH_OPENCL_INCLUDE CL/cl.h ${need})
  kith_decide(KITH_GPU KITH_OPENCL_INCLUDE)
endif()

# Without these libraries the program, and whatever shows or tests them, is left out.
if(NOT KITH_IO OR NOT KITH_SAMPLE)
  foreach(part KITH_CLI KITH_PYTHON KITH_BENCH KITH_FUZZ)
    if(${part})
      message(STATUS "${part}: left out, since it needs KITH_IO and KITH_SAMPLE")
      set(${part} OFF)
    endif()
  endforeach()
endif()
