#!/usr/bin/env bash
# Makes build/portable/PROCESSOR: a compiler for Linux with glibc 2.28 or later, and the libraries that kith links,
# static, with hidden symbols, built from Debian's source packages. The wheels that are published are linked with them.
#
# Usage: scripts/wheel_libraries.sh PROCESSOR    (x86_64 or aarch64)
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

processor=${1:-x86_64}
glibc=2.28
folder=$PWD/build/portable
prefix=$folder/$processor
sysroot=$PWD/build/arm/sysroot # where HDF5 runs programs for ARM while it is configured
toolchain=$PWD/cmake/zig.cmake
hardening="-fvisibility=hidden -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
export CCACHE_COMPILERTYPE=clang

# apt_sources ARGUMENT...: apt-get with the source packages of this system, whose state is in build/portable/apt.
apt_sources() {
  apt-get -o Dir::State="$folder/apt" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::sourcelist=/dev/null \
    -o Dir::Etc::sourceparts="$folder/apt/sources" -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}

# fetch_sources NAME...: unpacks them, with Debian's patches, in build/portable/sources/NAME.
fetch_sources() {
  local name release
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  mkdir -p "$folder"/apt/{lists/partial,cache/archives/partial,sources} "$folder/sources"
  sed 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$folder/apt/sources/debian.sources" ||
    return 1
  apt_sources update || return 1
  for name in "$@"; do
    [ ! -d "$folder/sources/$name" ] || continue
    # A security update may be announced before its sources can be had.
    (cd "$folder" && rm -f "${name}"_*.dsc &&
      { apt_sources source --download-only "$name" || apt_sources source --download-only "$name/$release"; } &&
      dpkg-source --no-check -x "${name}"_*.dsc "sources/$name") || return 1
  done
}

# make_compiler: the tools of ziglang by their usual names, so that CMake and ccache know what they are. It has other
# names for processors than clang, so -march is replaced.
make_compiler() {
  local zig tool
  declare -A cpu=([x86_64]=x86_64_v2 [aarch64]=generic+crypto)
  need_venv && { [ -x "$folder/env/bin/python" ] || python3 -m venv "$folder/env"; } &&
    "$folder/env/bin/pip" install --quiet --no-compile 'ziglang==0.17.*' || return 1
  zig=$(echo "$folder"/env/lib/python3*/site-packages/ziglang/zig)
  mkdir -p "$prefix/bin"
  for tool in clang=cc clang++=c++; do
    cat >"$prefix/bin/${tool%=*}" <<END
#!/bin/bash
for argument; do
  shift
  [[ \$argument == -march=* ]] || set -- "\$@" "\$argument"
done
exec $zig ${tool#*=} -target $processor-linux-gnu.$glibc -mcpu=${cpu[$processor]} -fno-sanitize=all "\$@"
END
  done
  for tool in ar ranlib; do printf '#!/bin/sh\nexec %s %s "$@"\n' "$zig" "$tool" >"$prefix/bin/$tool"; done
  chmod +x "$prefix"/bin/*
}

# build NAME OPTION...: configures in the build folder, where try_run of HDF5 expects its files.
build() {
  local name=$1
  shift
  mkdir -p "$prefix/build/$name" &&
    (cd "$prefix/build/$name" && cmake -G Ninja "$folder/sources/$name" -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
      -DKITH_PREFIX="$prefix" -DKITH_PROCESSOR="$processor" \
      -DKITH_SYSROOT="$sysroot" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
      -DBUILD_TESTING=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$prefix" \
      -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_C_FLAGS="$hardening" \
      -DCMAKE_CXX_FLAGS="$hardening -fvisibility-inlines-hidden" "$@" && cmake --build . && cmake --install .)
}

# zlib's CMake file needs the folder win32, which Debian leaves out.
build_zlib() {
  rm -rf "$prefix/build/zlib" && mkdir -p "$prefix/build" && cp -r "$folder/sources/zlib" "$prefix/build/zlib" &&
    (cd "$prefix/build/zlib" && CC=$prefix/bin/clang AR=$prefix/bin/ar RANLIB=$prefix/bin/ranlib \
      CFLAGS="-O3 -fPIC $hardening" ./configure --static --prefix="$prefix" && make libz.a && make install)
}

# Newer compilers than HDF5 1.10 refuse a function there that leaves out its type int.
build_hdf5() {
  build hdf5 -DCMAKE_C_FLAGS="$hardening -w -Wno-implicit-int" -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_BUILD_EXAMPLES=OFF \
    -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_SZIP_SUPPORT=OFF &&
    printf 'Name: hdf5\nDescription: HDF5\nVersion: %s\nLibs: -L%s/lib -lhdf5 -lz -lm -ldl\nCflags: -I%s/include\n' \
      "$(sed -n 's/.*H5_VERS_INFO.*library version: \([0-9.]*\).*/\1/p' "$prefix/include/H5public.h")" \
      "$prefix" "$prefix" >"$prefix/lib/pkgconfig/hdf5.pc"
}

# Headers without a library: those of this system.
copy_headers() {
  cp -r /usr/include/{xxhash.h,CLI,CL} "$prefix/include" &&
    mkdir -p "$prefix/lib/cmake" && cp -r /usr/share/cmake/CLI11 "$prefix/lib/cmake"
}

need_packages build
want_packages gpu
[ -e "$prefix/complete" ] && exit
[ "$processor" = "$(uname -m)" ] || scripts/arm.sh sysroot || exit 1
step portable-sources fetch_sources zlib libpng1.6 fmtlib highway onetbb hdf5
step portable-compiler make_compiler
step "zlib-$processor" build_zlib
step "png-$processor" build libpng1.6 -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_EXECUTABLES=OFF
step "fmt-$processor" build fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
step "highway-$processor" build highway -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF
step "tbb-$processor" build onetbb -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF
step "hdf5-$processor" build_hdf5
step "headers-$processor" copy_headers
touch "$prefix/complete"
