# The options that choose the libraries and programs to build. ON requires a component; AUTO builds
# it if the libraries that it needs are found. Inside another project, only the libraries that the
# project links are compiled.
option(KITH_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(KITH_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(KITH_CLI "Build the program kith; needs kith_io and kith_sample" ${PROJECT_IS_TOP_LEVEL})
option(KITH_INSTALL "Install the libraries and the programs that are built" ${PROJECT_IS_TOP_LEVEL})
option(KITH_BENCH "Build the benchmarks" OFF)
option(KITH_PYTHON "Build the extension module of the Python package" OFF)
option(KITH_FUZZ "Build the fuzzers; needs clang" OFF)
option(KITH_PRECOMPILED "Compile common headers of the tests and the program once; ccache does not keep files that use them" OFF)
# The preset dev turns it off: after a change, fewer files are compiled again.
option(KITH_UNITY "Compile several files at once: full builds take less time, builds after a small change more" ON)
option(KITH_WERROR "Treat warnings as errors (set by the presets, never for a consumer)" OFF)
option(KITH_HARDEN "Guard the stack, check sizes in calls of the C library, make tables of addresses read-only" ON)
option(KITH_SLOW_CHECKS "Check every invariant of every tree that is built" OFF)
# This takes a third of the time to compile the kernels. The other targets would show the sanitizers nothing new.
option(KITH_ONE_TARGET "Compile the kernels for AVX2 alone" OFF)
set(KITH_SANITIZE "" CACHE STRING "Sanitizers for all code, e.g. address,undefined")
# The preset tsan covers all other code, without MPI.
set(KITH_SANITIZE_RANKS "" CACHE STRING "Sanitizers for kith_mpi, its tests and the loops alone, e.g. thread")

if(PROJECT_IS_TOP_LEVEL)
  set(KITH_COMPONENT_DEFAULT ON)
  option(BUILD_SHARED_LIBS "Build shared libraries" ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
else()
  set(KITH_COMPONENT_DEFAULT AUTO)
  # A project that links a static kith must see the libraries that kith links.
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
endif()

# kith_component(VARIABLE MEANING): an option that is ON, OFF or AUTO. Sets ${need} to the argument of find_package
# that makes the package required or optional.
macro(kith_component variable meaning)
  set(${variable} ${KITH_COMPONENT_DEFAULT} CACHE STRING "${meaning}: ON, OFF, or AUTO where it is possible")
  set_property(CACHE ${variable} PROPERTY STRINGS ON OFF AUTO)
  if(${variable} STREQUAL "AUTO")
    set(need QUIET)
  else()
    set(need REQUIRED)
  endif()
endmacro()

# kith_decide(VARIABLE CONDITION...): sets AUTO to ON or OFF for this run.
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
  # Through pkg-config, because CMake's module for HDF5 needs a C compiler. If there are several builds of HDF5, use
  # the serial one.
  find_package(PkgConfig ${need})
  if(PKG_CONFIG_FOUND)
    pkg_search_module(KITH_HDF5 ${need} IMPORTED_TARGET GLOBAL hdf5-serial hdf5)
  endif()
  kith_decide(KITH_IO PNG_FOUND AND ZLIB_FOUND AND KITH_HDF5_FOUND)
endif()

option(KITH_SAMPLE "Build kith_sample: points to play with" ON)

# AUTO even at the top level, because most machines have no MPI.
set(KITH_MPI AUTO CACHE STRING "")
kith_component(KITH_MPI "Build kith_mpi: neighbors over many machines")
if(KITH_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI ${need} COMPONENTS CXX)
  kith_decide(KITH_MPI MPI_CXX_FOUND)
endif()

# Only the headers: no OpenCL library is linked. Debian: opencl-headers.
set(KITH_GPU AUTO CACHE STRING "")
kith_component(KITH_GPU "Build kith_gpu: neighbors and groups on OpenCL devices")
if(KITH_GPU)
  find_path(KITH_OPENCL_INCLUDE CL/cl.h ${need})
  kith_decide(KITH_GPU KITH_OPENCL_INCLUDE)
endif()

# Without these libraries, the program and the examples and tests that use them are left out.
if(NOT KITH_IO OR NOT KITH_SAMPLE)
  foreach(part KITH_CLI KITH_PYTHON KITH_BENCH KITH_FUZZ)
    if(${part})
      message(STATUS "${part}: left out, since it needs KITH_IO and KITH_SAMPLE")
      set(${part} OFF)
    endif()
  endforeach()
endif()
