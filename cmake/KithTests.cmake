# How a test becomes part of ctest.
find_package(GTest REQUIRED)
include(GoogleTest)

# What the sanitizers are told; see tests/tsan.supp for the one thing that is suppressed. Asking for too much
# memory is to fail as it does without a sanitizer.
if(KITH_SANITIZE MATCHES "thread")
  set(kith_test_environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:allocator_may_return_null=1:halt_on_error=1")
elseif(KITH_SANITIZE MATCHES "address")
  set(kith_test_environment "ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1")
else()
  set(kith_test_environment "KITH_SANITIZE=none")
endif()

# kith_test(NAME sources...)
# One executable, test_NAME, and one entry of ctest for each of its tests. A test with "Slow" in its name
# carries the label `slow`: the sanitizer presets leave it out.
function(kith_test name)
  add_executable(test_${name} ${ARGN})
  target_link_libraries(test_${name} PRIVATE kith_internal kith_flags GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  set(common TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(test_${name} ${common} TEST_FILTER "-*Slow*" TEST_LIST test_${name}_fast
    PROPERTIES ENVIRONMENT "${kith_test_environment}" TIMEOUT 300)
  gtest_discover_tests(test_${name} ${common} TEST_FILTER "*Slow*" TEST_LIST test_${name}_slow
    PROPERTIES ENVIRONMENT "${kith_test_environment}" TIMEOUT 900 LABELS slow)
endfunction()

# kith_script_test(NAME command...)
# An entry of ctest that is a program or a script. Sanitizer builds leave these out: they compile or run
# things of their own.
function(kith_script_test name)
  if(KITH_SANITIZE)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS script TIMEOUT 600)
endfunction()
