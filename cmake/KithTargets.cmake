# How the targets of the project are compiled: flags, layers, libraries.

# Checks that AddressSanitizer or the CPU makes redundant triple the time to compile kernels, so they are off there.
# Code that reads untrusted bytes keeps all checks.
set(fewer_checks null,object-size,vptr,alignment,pointer-overflow,nonnull-attribute,returns-nonnull-attribute)

# The flags of all our code, as the numerical contract and the style require.
add_library(kith_flags INTERFACE)
target_compile_features(kith_flags INTERFACE cxx_std_20)
# One distance: products and sums are rounded one by one, on every target.
target_compile_options(kith_flags INTERFACE -ffp-contract=off -fvisibility=hidden
                                            -fvisibility-inlines-hidden)
# Our assertions are exceptions, and the floating-point errors in errno are never read.
target_compile_options(kith_flags INTERFACE -fno-math-errno -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Without this, Highway uses neither SSE4 nor AVX2 as the baseline: it requires AES for them, which these targets do
  # not include.
  target_compile_definitions(kith_flags INTERFACE HWY_DISABLE_PCLMUL_AES)
  if(KITH_ONE_TARGET)
    target_compile_options(kith_flags INTERFACE -march=x86-64-v3)
    target_compile_definitions(kith_flags INTERFACE HWY_DISABLED_TARGETS=HWY_AVX3 KITH_ONE_TARGET)
  else()
    # Every CPU since 2009; faster instructions are chosen at run time by the kernels.
    target_compile_options(kith_flags INTERFACE -march=x86-64-v2)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  # NEON, which every such CPU has, and nothing chosen at run time: with a choice, GCC cannot inline Highway's
  # constructors; SVE's vectors have no size, so that they cannot be members of our structs.
  target_compile_options(kith_flags INTERFACE -march=armv8-a+crypto)
  target_compile_definitions(kith_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
endif()
target_compile_options(kith_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                            -Wno-sign-conversion)
# Both compilers warn of initializers that leave members at their defaults; this is no mistake.
target_compile_options(kith_flags INTERFACE -Wno-missing-field-initializers)
if(KITH_WERROR)
  target_compile_options(kith_flags INTERFACE -Werror)
endif()
# Hardening against damaged files, in shipped libraries: buffers on the stack are guarded, calls of
# the C library check sizes that the compiler knows, and tables of addresses are read-only.
# tests/install/hardening.py reads it off the binaries.
if(KITH_HARDEN AND NOT KITH_SANITIZE AND NOT KITH_SANITIZE_RANKS AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_compile_options(kith_flags INTERFACE -fstack-protector-strong
    "$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")
  set(kith_hardening LINKER:-z,relro,-z,now)
  target_link_options(kith_flags INTERFACE ${kith_hardening})
endif()
if(KITH_SANITIZE)
  # With a sanitizer, GCC's warning of uninitialized values is wrong too often; the sanitizer finds them itself.
  target_compile_options(kith_flags INTERFACE -fsanitize=${KITH_SANITIZE} -fno-omit-frame-pointer
                                              $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(kith_flags INTERFACE -fsanitize=${KITH_SANITIZE})
  if(KITH_SANITIZE MATCHES "undefined")
    target_compile_options(kith_flags INTERFACE -fno-sanitize-recover=undefined)
    # It must follow -fsanitize, or it has no effect.
    target_compile_options(kith_flags INTERFACE
      $<$<BOOL:$<TARGET_PROPERTY:KITH_FEWER_CHECKS>>:-fno-sanitize=${fewer_checks}>)
  endif()
  if(KITH_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Checks as function calls take half the time to compile.
    target_compile_options(kith_flags INTERFACE "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")
  endif()
endif()
if(KITH_SLOW_CHECKS)
  target_compile_definitions(kith_flags INTERFACE KITH_SLOW_CHECKS)
endif()

# kith_sanitize_ranks(TARGET): compiles it with the sanitizer in KITH_SANITIZE_RANKS, if that is set.
function(kith_sanitize_ranks target)
  if(KITH_SANITIZE_RANKS)
    target_compile_options(${target} PRIVATE -fsanitize=${KITH_SANITIZE_RANKS} -fno-omit-frame-pointer -g1 -O1
                                             -Wno-maybe-uninitialized)
    target_link_options(${target} PRIVATE -fsanitize=${KITH_SANITIZE_RANKS})
  endif()
endfunction()

# kith_compile_together(TARGET sources...)
# Compiles several files as one, so that their headers are read once. For mpi, results and snapshots together this takes
# 106 s of CPU; files compiled one by one take 257 s, and with precompiled headers, which ccache does not keep, 177 s
# (one SIMD target, -O1). The price: names in unnamed namespaces must differ within a layer. Files with kernels and files
# that have options already are compiled alone.
# Not CMake's UNITY_BUILD, whose paths depend on where kith is inside another project, so that ccache finds nothing there.
function(kith_compile_together target)
  if(NOT KITH_UNITY)
    return()
  endif()
  set(together "")
  set(sources "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} kernels REGEX "HWY_|-inl\\.h\"" LIMIT_COUNT 1)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(kernels OR options)
      list(APPEND sources ${source})
    else()
      get_filename_component(path ${source} ABSOLUTE)
      list(APPEND together ${path})
    endif()
  endforeach()
  list(LENGTH together count)
  if(count LESS 2)
    return()
  endif()
  set(number 0)
  while(together)
    list(SUBLIST together 0 8 batch)
    list(REMOVE_ITEM together ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN batch "" text)
    set(file ${CMAKE_BINARY_DIR}/together/${target}_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND sources ${file})
    math(EXPR number "${number} + 1")
  endwhile()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  # GCC warns of unnamed namespaces in included files.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# kith_layer(NAME [ON lower layers...] [ROOMS folders...] [USES libraries...] [FEWER_CHECKS] [SEPARATE])
# A layer is an object library of all files of src/NAME. Its sources may include headers of the layers below it. The
# compiler sees all of src/; scripts/checks/layers.py, which reads the calls of this function, finds wrong includes, and
# the linker finds wrong calls.
#   ROOMS          folders of the layer, lowest first; files of a room include headers of it and of those before it
#   FEWER_CHECKS   sanitizers leave out the checks that triple the time to compile kernels
#   SEPARATE       files are never compiled together, because several instantiate parts of one class template
function(kith_layer name)
  cmake_parse_arguments(LAYER "FEWER_CHECKS;SEPARATE" "" "ON;ROOMS;USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_library(kith_layer_${name} OBJECT ${sources})
  if(NOT LAYER_SEPARATE)
    kith_compile_together(kith_layer_${name} ${sources})
  endif()
  set_target_properties(kith_layer_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(kith_layer_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kith_layer_${name} PUBLIC kith_flags)
  foreach(lower IN LISTS LAYER_ON)
    target_link_libraries(kith_layer_${name} PUBLIC kith_layer_${lower})
  endforeach()
  set_target_properties(kith_layer_${name} PROPERTIES KITH_FEWER_CHECKS ${LAYER_FEWER_CHECKS})
  # Libraries are private to the layer, except Highway, whose headers the layers above use, too.
  set(others ${LAYER_USES})
  if(hwy::hwy IN_LIST others)
    target_link_libraries(kith_layer_${name} PUBLIC hwy::hwy)
    list(REMOVE_ITEM others hwy::hwy)
  endif()
  target_link_libraries(kith_layer_${name} PRIVATE ${others})
  set_property(TARGET kith_layer_${name} PROPERTY KITH_USES "${LAYER_USES}")
  set_property(GLOBAL APPEND PROPERTY KITH_LAYERS ${name})
endfunction()

# kith_uses(VARIABLE layers...): the external libraries that these layers use.
function(kith_uses variable)
  set(found "")
  foreach(layer IN LISTS ARGN)
    get_property(uses TARGET kith_layer_${layer} PROPERTY KITH_USES)
    list(APPEND found ${uses})
  endforeach()
  list(REMOVE_DUPLICATES found)
  list(REMOVE_ITEM found fmt::fmt-header-only)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# kith_library(NAME LAYERS layers...)
# A library with hidden symbols: the core, kith, as kith::kith; a library on top of it, kith_NAME, as kith::NAME.
function(kith_library name)
  cmake_parse_arguments(LIBRARY "" "" "LAYERS" ${ARGN})
  string(REGEX REPLACE "^kith_" "" export_name ${name})
  add_library(${name})
  add_library(kith::${export_name} ALIAS ${name})
  foreach(layer IN LISTS LIBRARY_LAYERS)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:kith_layer_${layer}>)
  endforeach()
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  kith_uses(uses ${LIBRARY_LAYERS})
  target_link_libraries(${name} PRIVATE ${uses})
  if(NOT name STREQUAL "kith")
    target_link_libraries(${name} PUBLIC kith)
  endif()
  if(KITH_SANITIZE)
    target_link_options(${name} PRIVATE -fsanitize=${KITH_SANITIZE})
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    # Report missing symbols when the library is linked, not when a program is.
    target_link_options(${name} PRIVATE LINKER:-z,defs ${kith_hardening})
  endif()
  # Before 1.0 a minor version may change the interface.
  set_target_properties(${name} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    EXPORT_NAME ${export_name} LINKER_LANGUAGE CXX INSTALL_RPATH $ORIGIN)
  set_property(TARGET ${name} PROPERTY KITH_LIBRARY_LAYERS "${LIBRARY_LAYERS}")
  set_property(GLOBAL APPEND PROPERTY KITH_LIBRARIES ${name})
endfunction()

# kith_internal_libraries(): static libraries for the tests, with all symbols visible. NAME_only has the layers of one
# library, so that tests of the core do not wait for files and pictures; kith_internal has those of all libraries but
# kith_mpi and kith_gpu.
function(kith_internal_libraries)
  add_library(kith_internal INTERFACE)
  get_property(libraries GLOBAL PROPERTY KITH_LIBRARIES)
  foreach(library IN LISTS libraries)
    get_property(layers TARGET ${library} PROPERTY KITH_LIBRARY_LAYERS)
    add_library(${library}_only STATIC EXCLUDE_FROM_ALL)
    foreach(layer IN LISTS layers)
      target_sources(${library}_only PRIVATE $<TARGET_OBJECTS:kith_layer_${layer}>)
      target_link_libraries(${library}_only INTERFACE kith_layer_${layer})
    endforeach()
    kith_uses(uses ${layers})
    target_link_libraries(${library}_only INTERFACE ${uses})
    if(NOT library STREQUAL "kith")
      target_link_libraries(${library}_only INTERFACE kith_only)
    endif()
    set_target_properties(${library}_only PROPERTIES LINKER_LANGUAGE CXX)
    if(NOT library MATCHES "^kith_(mpi|gpu)$")
      target_link_libraries(kith_internal INTERFACE ${library}_only)
    endif()
  endforeach()
endfunction()
