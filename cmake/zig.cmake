# Toolchain file: kith for any Linux with glibc 2.28 or later (RHEL 8, Debian 10), for the processor KITH_PROCESSOR. The
# compiler is clang as the package ziglang of PyPI contains it, with the C library's symbols of that version and its own
# C++ library, which is linked statically. scripts/wheel_libraries.sh makes the folder KITH_PREFIX: compilers by their
# usual names, and the static libraries that kith links.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${KITH_PROCESSOR})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KITH_PREFIX KITH_PROCESSOR KITH_SYSROOT)
set(CMAKE_C_COMPILER ${KITH_PREFIX}/bin/clang)
set(CMAKE_CXX_COMPILER ${KITH_PREFIX}/bin/clang++)
set(CMAKE_EXE_LINKER_FLAGS_INIT -pie) # not its default, as in Debian's compilers
set(CMAKE_AR ${KITH_PREFIX}/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${KITH_PREFIX}/bin/ranlib CACHE FILEPATH "")

# Nothing of this machine but its tools.
set(CMAKE_FIND_ROOT_PATH ${KITH_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(ENV{PKG_CONFIG_LIBDIR} ${KITH_PREFIX}/lib/pkgconfig)
# try_run works through it, also on this kind of processor. KITH_SYSROOT has the C library of another one.
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL KITH_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/env)
else()
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${KITH_PROCESSOR}-static;-L;${KITH_SYSROOT})
endif()
