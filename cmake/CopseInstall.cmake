# This file serves cmake --install and find_package(copse).

include(CMakePackageConfigHelpers)

list(TRANSFORM COPSE_PARTS PREPEND copse- OUTPUT_VARIABLE copse_part_targets)
install(TARGETS copse ${copse_part_targets} EXPORT copse-targets)
install(EXPORT copse-targets NAMESPACE copse:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse)

# Headers stand in the same folders below include/copse. Bodies of algorithms and the switch between backends are
# not installed, because only the library's own sources use them.
file(GLOB copse_doors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/copse/*.h)
install(FILES copse.h ${copse_doors} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse)
foreach(folder primitives builders trace queries accel scene)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse
    FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh"
    PATTERN "*_body.h" EXCLUDE
    PATTERN "dispatch.h" EXCLUDE)
endforeach()

configure_package_config_file(cmake/copse-config.cmake.in ${PROJECT_BINARY_DIR}/copse-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/copse-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/copse-config.cmake ${PROJECT_BINARY_DIR}/copse-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/copse)
