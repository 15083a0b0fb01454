# How every target of the project is compiled, and the shape of a layer.

# The flags that the numerical contract and the house style ask of all our code.
add_library(kith_flags INTERFACE)
target_compile_features(kith_flags INTERFACE cxx_std_20)
# One distance: products and sums are rounded one by one, on every target.
target_compile_options(kith_flags INTERFACE -ffp-contract=off -fvisibility=hidden
                                            -fvisibility-inlines-hidden)
# Assertions of ours are exceptions; the C library's floating-point error numbers are never read.
target_compile_options(kith_flags INTERFACE -fno-math-errno -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Every CPU since 2009; faster instructions are chosen at run time by the kernels.
  target_compile_options(kith_flags INTERFACE -march=x86-64-v2)
  # Highway's SSE4 target then is the baseline, instead of one more target beside it.
  target_compile_definitions(kith_flags INTERFACE HWY_DISABLE_PCLMUL_AES)
endif()
target_compile_options(kith_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                            -Wno-sign-conversion)
# Both compilers here take an initialiser that leaves members to their defaults for a mistake.
target_compile_options(kith_flags INTERFACE -Wno-missing-field-initializers)
if(KITH_WERROR)
  target_compile_options(kith_flags INTERFACE -Werror)
endif()
if(KITH_SANITIZE)
  # GCC's warning of uninitialised values is wrong too often under a sanitizer, which would find them itself.
  target_compile_options(kith_flags INTERFACE -fsanitize=${KITH_SANITIZE} -fno-omit-frame-pointer
                                              $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(kith_flags INTERFACE -fsanitize=${KITH_SANITIZE})
  if(KITH_SANITIZE MATCHES "undefined")
    target_compile_options(kith_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
  # A third of the time that the kernels take to compile; sanitizers learn nothing from one more target.
  target_compile_definitions(kith_flags INTERFACE HWY_DISABLED_TARGETS=HWY_AVX3)
  # Half of the rest: races do not depend on the width of vectors.
  if(KITH_SANITIZE MATCHES "thread" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(kith_flags INTERFACE -march=x86-64-v3)
  endif()
endif()
if(KITH_SLOW_CHECKS)
  target_compile_definitions(kith_flags INTERFACE KITH_SLOW_CHECKS)
endif()

# kith_layer(NAME SOURCES ... DEPENDS lower layers or libraries ...)
# One object library a layer. It sees its own headers and those of the layers below.
function(kith_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(kith_${name} OBJECT ${LAYER_SOURCES})
  set_target_properties(kith_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(kith_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kith_${name} PUBLIC kith_flags ${LAYER_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY KITH_LAYERS ${name})
endfunction()
