# Rules for `cmake --install`, in the components `library` (shared libraries and the license), `development` (headers,
# static libraries, files for find_package(kith) and pkg-config) and `program`.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kith)

# Programs that link a static library must also link the libraries that it uses; those that link a shared one need
# not. For each such library: how CMake finds it, and its pkg-config module.
set(find_of_TBB::tbb "find_dependency(TBB)")
set(module_of_TBB::tbb tbb)
set(find_of_fmt::fmt "find_dependency(fmt)")
set(module_of_fmt::fmt fmt)
set(find_of_hwy::hwy "find_dependency(HWY)")
set(module_of_hwy::hwy libhwy)
set(find_of_PNG::PNG "find_dependency(PNG)")
set(module_of_PNG::PNG libpng)
set(find_of_ZLIB::ZLIB "find_dependency(ZLIB)")
set(module_of_ZLIB::ZLIB zlib)
set(find_of_PkgConfig::KITH_HDF5
  "find_dependency(PkgConfig)\npkg_check_modules(KITH_HDF5 REQUIRED IMPORTED_TARGET ${KITH_HDF5_MODULE_NAME})")
set(module_of_PkgConfig::KITH_HDF5 ${KITH_HDF5_MODULE_NAME})

# For compilers that are not MPI's wrappers; the wrappers find MPI themselves, so pkg-config adds nothing.
set(find_of_MPI::MPI_CXX "set(MPI_CXX_SKIP_MPICXX ON)\nfind_dependency(MPI COMPONENTS CXX)")
set(module_of_MPI::MPI_CXX "")

# Part of the C library.
set(find_of_dl "")
set(module_of_dl "")

# The prefix is relative to the file, so that an installation can be moved; if a distribution sets absolute folders,
# these are used.
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

# A component: the library, its CMake targets and their dependencies, and its pkg-config file. The objects of the
# layers are already part of the library, and kith_flags are only for kith's own code, so neither is exported.
function(kith_install_library library)
  install(TARGETS ${library} EXPORT ${library}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
  install(EXPORT ${library}Targets NAMESPACE kith:: DESTINATION ${package_dir} COMPONENT development)

  # KITH_PC_PRIVATE is empty for a shared library: pkg-config reads it even for compiler flags, and programs that use
  # the shared library need not have those packages.
  set(dependencies "")
  set(KITH_PC_PRIVATE "")
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    get_target_property(links ${library} LINK_LIBRARIES)
    list(REMOVE_ITEM links kith)
    foreach(link IN LISTS links)
      if(NOT DEFINED find_of_${link})
        message(FATAL_ERROR "${library} links ${link}; say in cmake/KithInstall.cmake where it comes from")
      endif()
      string(APPEND dependencies "${find_of_${link}}\n")
      string(APPEND KITH_PC_PRIVATE " ${module_of_${link}}")
    endforeach()
  elseif(library STREQUAL "kith_mpi")
    set(link MPI::MPI_CXX) # its header includes <mpi.h>
    set(dependencies "${find_of_${link}}\n")
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/${library}Dependencies.cmake "${dependencies}")
  install(FILES ${PROJECT_BINARY_DIR}/${library}Dependencies.cmake DESTINATION ${package_dir} COMPONENT development)

  set(KITH_PC_NAME ${library})
  set(KITH_PC_REQUIRES "")
  if(NOT library STREQUAL "kith")
    set(KITH_PC_REQUIRES "kith = ${PROJECT_VERSION}")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kith.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endfunction()

get_property(libraries GLOBAL PROPERTY KITH_LIBRARIES)
foreach(library IN LISTS libraries)
  kith_install_library(${library})
endforeach()
if(KITH_CLI)
  install(TARGETS kith_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # The program writes them itself, from its options.
  if(NOT CMAKE_CROSSCOMPILING)
    set(pages ${PROJECT_BINARY_DIR}/share)
    add_custom_command(OUTPUT ${pages}/done
      COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/bash ${pages}/zsh ${pages}/fish
      COMMAND kith_program manual --folder ${pages}/man
      COMMAND kith_program completion bash > ${pages}/bash/kith
      COMMAND kith_program completion zsh > ${pages}/zsh/_kith
      COMMAND kith_program completion fish > ${pages}/fish/kith.fish
      COMMAND ${CMAKE_COMMAND} -E touch ${pages}/done
      DEPENDS kith_program COMMENT "Manual pages and completions" VERBATIM)
    add_custom_target(kith_pages ALL DEPENDS ${pages}/done)
    install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
    set(shared ${CMAKE_INSTALL_DATADIR})
    install(FILES ${pages}/bash/kith DESTINATION ${shared}/bash-completion/completions COMPONENT program OPTIONAL)
    install(FILES ${pages}/zsh/_kith DESTINATION ${shared}/zsh/site-functions COMPONENT program OPTIONAL)
    install(FILES ${pages}/fish/kith.fish DESTINATION ${shared}/fish/vendor_completions.d COMPONENT program OPTIONAL)
  endif()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kith ${PROJECT_BINARY_DIR}/include/kith
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.f90")

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kithConfig.cmake.in
  ${PROJECT_BINARY_DIR}/kithConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kithConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kithConfig.cmake ${PROJECT_BINARY_DIR}/kithConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
