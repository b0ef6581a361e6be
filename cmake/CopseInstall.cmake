# This file serves cmake --install and find_package(copse).

include(CMakePackageConfigHelpers)

list(TRANSFORM COPSE_PARTS PREPEND copse- OUTPUT_VARIABLE copse_part_targets)
install(TARGETS copse ${copse_part_targets} EXPORT copse-targets)
install(EXPORT copse-targets NAMESPACE copse:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse)

# Headers stand in the same folders below include/copse. Bodies of algorithms and the switch between backends are
# not installed, because only the library's own sources use them.
file(GLOB copse_doors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/copse/*.h)
list(REMOVE_ITEM copse_doors ${PROJECT_SOURCE_DIR}/copse/c.h)
install(FILES copse.h ${copse_doors} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse)
foreach(folder primitives builders trace queries accel scene motion)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse
    FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh"
    PATTERN "*_body.h" EXCLUDE
    PATTERN "dispatch.h" EXCLUDE)
endforeach()

configure_package_config_file(cmake/copse-config.cmake.in ${PROJECT_BINARY_DIR}/copse-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/copse-config-version.cmake COMPATIBILITY SameMinorVersion)
set(copse_package_files ${PROJECT_BINARY_DIR}/copse-config.cmake ${PROJECT_BINARY_DIR}/copse-config-version.cmake)
install(FILES ${copse_package_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse)

# The C library has components of its own, so that a package can carry it alone: c has what programs run with, and
# c-development what they are compiled with. It needs none of the packages that the C++ library is built with.
if(COPSE_C)
  install(TARGETS copse_c EXPORT copse-c-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT c-development)
  install(EXPORT copse-c-targets NAMESPACE copse:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse
    COMPONENT c-development)
  install(FILES copse/c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse COMPONENT c-development)
  install(DIRECTORY capi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse COMPONENT c-development
    FILES_MATCHING PATTERN "*.h" PATTERN bridge EXCLUDE)
  install(FILES ${copse_package_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse COMPONENT c-development)
  # The file finds the prefix from its own place, so that an installed tree may be moved.
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE COPSE_PREFIX_FROM_PC)
  configure_file(cmake/copse-c.pc.in ${PROJECT_BINARY_DIR}/copse-c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/copse-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT c-development)
endif()
