# What `cmake --install` puts where: the library, its headers, and what find_package(kith) and pkg-config read.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kith)

# A static library leaves its private libraries to the consumer's link line, a shared one does not. For
# each: how CMake finds it and its pkg-config module.
set(find_of_TBB::tbb "find_dependency(TBB)")
set(module_of_TBB::tbb tbb)
set(find_of_fmt::fmt "find_dependency(fmt)")
set(module_of_fmt::fmt fmt)
set(find_of_hwy::hwy "find_dependency(HWY)")
set(module_of_hwy::hwy libhwy)
set(find_of_kissfft::kissfft-float "find_dependency(kissfft COMPONENTS SHARED)")
set(module_of_kissfft::kissfft-float kissfft-float)
set(find_of_PNG::PNG "find_dependency(PNG)")
set(module_of_PNG::PNG libpng)
set(find_of_ZLIB::ZLIB "find_dependency(ZLIB)")
set(module_of_ZLIB::ZLIB zlib)
set(find_of_PkgConfig::KITH_HDF5
  "find_dependency(PkgConfig)\npkg_check_modules(KITH_HDF5 REQUIRED IMPORTED_TARGET ${KITH_HDF5_MODULE_NAME})")
set(module_of_PkgConfig::KITH_HDF5 ${KITH_HDF5_MODULE_NAME})
set(KITH_DEPENDENCIES "")
set(KITH_PC_REQUIRES_PRIVATE "")
get_target_property(library_type kith TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  get_target_property(private_libraries kith LINK_LIBRARIES)
  foreach(library IN LISTS private_libraries)
    if(NOT DEFINED find_of_${library})
      message(FATAL_ERROR "kith links ${library}; say in cmake/KithInstall.cmake where it comes from")
    endif()
    string(APPEND KITH_DEPENDENCIES "${find_of_${library}}\n")
    string(APPEND KITH_PC_REQUIRES_PRIVATE " ${module_of_${library}}")
  endforeach()
endif()

# The layers' objects are inside the library already; kith_flags is how we compile, not how others do.
install(TARGETS kith EXPORT kithTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(KITH_CLI)
  install(TARGETS kith_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kith ${PROJECT_BINARY_DIR}/include/kith
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT kithTargets NAMESPACE kith:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kithConfig.cmake.in
  ${PROJECT_BINARY_DIR}/kithConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kithConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kithConfig.cmake ${PROJECT_BINARY_DIR}/kithConfigVersion.cmake
  DESTINATION ${package_dir})

# The prefix stands relative to the file, so that a moved installation still works; a distribution that
# asks for absolute folders gets them.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(KITH_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(KITH_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(KITH_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(KITH_PC_PREFIX \${pcfiledir}/${up})
  set(KITH_PC_LIBDIR \${prefix}/${CMAKE_INSTALL_LIBDIR})
  set(KITH_PC_INCLUDEDIR \${prefix}/${CMAKE_INSTALL_INCLUDEDIR})
endif()
# Requires.private is empty for a shared library: pkg-config reads it even for compiler flags, and a
# consumer of the shared library need not have those packages.
configure_file(${PROJECT_SOURCE_DIR}/cmake/kith.pc.in ${PROJECT_BINARY_DIR}/kith.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kith.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
