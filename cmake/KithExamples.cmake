# kith_example(NAME sources... [LINKS kith::...])
# An example program, and a test that compares its output with expected.txt beside it. There <number> matches any
# number, such as a time.
function(kith_example name)
  cmake_parse_arguments(EXAMPLE "" "" "LINKS" ${ARGN})
  foreach(library IN LISTS EXAMPLE_LINKS)
    if(NOT TARGET ${library})
      message(STATUS "example ${name}: left out without ${library}")
      return()
    endif()
  endforeach()
  add_executable(example_${name} ${EXAMPLE_UNPARSED_ARGUMENTS})
  target_link_libraries(example_${name} PRIVATE kith::kith ${EXAMPLE_LINKS} kith_flags)
  set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name})
  if(KITH_TESTS)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    kith_script_test(example.${name} ${Python3_EXECUTABLE}
      ${PROJECT_SOURCE_DIR}/scripts/checks/compare_output.py
      ${CMAKE_CURRENT_SOURCE_DIR}/expected.txt $<TARGET_FILE:example_${name}>)
  endif()
endfunction()
