# Functions that add tests to ctest.
find_package(GTest REQUIRED)
include(GoogleTest)

# Options of the sanitizers; tests/tsan.supp explains the one suppression. Allocations that are too large must fail as
# they do without a sanitizer. ThreadSanitizer would sleep for a second at the end of each process.
if(KITH_SANITIZE MATCHES "thread")
  set(kith_test_environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:allocator_may_return_null=1:halt_on_error=1:atexit_sleep_ms=0")
elseif(KITH_SANITIZE MATCHES "address")
  set(kith_test_environment "ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1")
else()
  set(kith_test_environment "KITH_SANITIZE=none")
endif()

# Each test program adds the number of its exact comparisons to this file; scripts/test.sh adds them up.
list(APPEND kith_test_environment "KITH_CASES_FILE=${PROJECT_BINARY_DIR}/exact_cases.txt")
# Sanitizers run a tenth of the random cases: they look for other kinds of errors, and are ten times slower.
if(KITH_SANITIZE)
  list(APPEND kith_test_environment "KITH_CASES=0.1")
endif()

# Presets build and run some tests only, by label: `cmake --build ... --target tests_LABEL` and `ctest -L LABEL`.
#   exact     results are compared bit by bit with a definition
#   threads   several threads work at once: worth ThreadSanitizer
foreach(label exact threads)
  add_custom_target(tests_${label})
endforeach()

# Tests are compiled with less optimization than the library, which is quicker.
function(kith_test_options target)
  target_link_libraries(${target} PRIVATE kith_flags GTest::gtest)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${target} PROPERTIES KITH_FEWER_CHECKS ON)
endfunction()

# Headers that nearly all tests include are compiled once.
if(KITH_PRECOMPILED)
  add_library(kith_test_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
  target_link_libraries(kith_test_headers PRIVATE kith_only)
  kith_test_options(kith_test_headers)
  target_precompile_headers(kith_test_headers PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/precompiled.hpp)
endif()

# kith_test(NAME sources... [LABELS exact threads] [SLOW Suite.Test...] [VALUES Suite.Test...])
# Adds an executable, test_NAME, and each of its tests to ctest, with the labels and NAME. Sanitizer builds leave out
# the tests after SLOW, which take long and show nothing new there. ThreadSanitizer also leaves out those after
# VALUES, which vary the points but not the work of threads, those of doubles, which repeat those of floats, and those of
# degenerate sets, most of which are too small for a second thread.
function(kith_test name)
  cmake_parse_arguments(TEST "" "" "LABELS;SLOW;VALUES" ${ARGN})
  add_executable(test_${name} ${TEST_UNPARSED_ARGUMENTS})
  # Tests of the core need no files and pictures.
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(folder MATCHES "^(support|base|geometry|kernels|parallel|tree|walk|neighbors|forest|pairs|groups|subhalos|gradients|histories|gpu)$")
    target_link_libraries(test_${name} PRIVATE kith_only $<TARGET_NAME_IF_EXISTS:kith_sample_only>)
  else()
    target_link_libraries(test_${name} PRIVATE kith_internal)
  endif()
  kith_test_options(test_${name})
  kith_compile_together(test_${name} ${TEST_UNPARSED_ARGUMENTS})
  if(KITH_PRECOMPILED)
    target_precompile_headers(test_${name} REUSE_FROM kith_test_headers)
  endif()
  target_link_libraries(test_${name} PRIVATE GTest::gtest_main)
  foreach(label IN LISTS TEST_LABELS)
    add_dependencies(tests_${label} test_${name})
  endforeach()
  if(KITH_SANITIZE)
    set(left_out ${TEST_SLOW})
    if(KITH_SANITIZE MATCHES "thread")
      list(APPEND left_out ${TEST_VALUES} *Double* *Degenerate*)
    endif()
    list(JOIN left_out ":" left_out)
    if(left_out)
      set(filter TEST_FILTER "-${left_out}")
    endif()
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 ${filter})
  # In a separate file, since gtest_discover_tests splits lists.
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/test_${name}_properties.cmake)
  file(WRITE ${properties} "set_tests_properties(\${test_${name}_TESTS} PROPERTIES TIMEOUT 900
    ENVIRONMENT [==[${kith_test_environment}]==] LABELS [==[${name};${TEST_LABELS}]==])\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
endfunction()

# kith_script_test(NAME command...)
# Adds a program or script to ctest, labeled with the part of its name before the dot. Sanitizer builds leave these
# out, because they compile or run code without the sanitizer.
function(kith_script_test name)
  if(KITH_SANITIZE)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  string(REGEX REPLACE "\\..*" "" folder ${name})
  set_tests_properties(${name} PROPERTIES LABELS "script;${folder}" TIMEOUT 900)
endfunction()
