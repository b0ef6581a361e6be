# This file serves cmake --install, find_package(copse) and pkg-config.
#
# Components: shared is the shared library, and development is what programs are compiled with, and the static
# libraries. c and c-development are the same of the C library, which needs none of the packages of the C++ library.
# tools is the command line, and viewer is the viewer. scripts/package makes packages of them.

include(CMakePackageConfigHelpers)
set(copse_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/copse)

list(TRANSFORM COPSE_PARTS PREPEND copse- OUTPUT_VARIABLE copse_part_targets)
install(TARGETS copse ${copse_part_targets} EXPORT copse-targets COMPONENT development)
install(EXPORT copse-targets NAMESPACE copse:: DESTINATION ${copse_cmake_folder} COMPONENT development)

if(COPSE_SHARED)
  install(TARGETS copse-shared EXPORT copse-shared-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared NAMELINK_COMPONENT development)
  install(EXPORT copse-shared-targets NAMESPACE copse:: DESTINATION ${copse_cmake_folder} COMPONENT development)
endif()

# The headers are written when they are installed. Bodies of algorithms are not among them, because only the library's
# own sources use these.
foreach(component development c-development)
  list(JOIN copse_write_headers "\" \"" command)
  install(CODE "execute_process(COMMAND \"${command}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
endforeach()
install(DIRECTORY ${copse_written_headers}/copse DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  PATTERN copse/c.h EXCLUDE PATTERN copse/capi EXCLUDE)

configure_package_config_file(cmake/copse-config.cmake.in ${PROJECT_BINARY_DIR}/copse-config.cmake
  INSTALL_DESTINATION ${copse_cmake_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/copse-config-version.cmake COMPATIBILITY SameMinorVersion)
foreach(component development c-development)
  install(FILES ${PROJECT_BINARY_DIR}/copse-config.cmake ${PROJECT_BINARY_DIR}/copse-config-version.cmake
    DESTINATION ${copse_cmake_folder} COMPONENT ${component})
endforeach()

# pkg-config finds the prefix from the place of its file, so that an installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE COPSE_PREFIX_FROM_PC)
function(copse_install_pkg_config name component)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

if(COPSE_SHARED)
  copse_install_pkg_config(copse development)
endif()
if(COPSE_C)
  install(TARGETS copse_c EXPORT copse-c-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT c-development)
  install(EXPORT copse-c-targets NAMESPACE copse:: DESTINATION ${copse_cmake_folder} COMPONENT c-development)
  install(FILES ${copse_written_headers}/copse/c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse
    COMPONENT c-development)
  install(DIRECTORY ${copse_written_headers}/copse/capi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse
    COMPONENT c-development)
  copse_install_pkg_config(copse-c c-development)
endif()

# Both programs show the bundled mesh where none is named. A program that was not built is left out.
if(TARGET copse-cli)
  install(TARGETS copse-cli OPTIONAL COMPONENT tools)
  # The build of copse-cli writes these, see cli/CMakeLists.txt. Each shell looks for them in a folder of its own.
  set(manual ${PROJECT_BINARY_DIR}/manual)
  install(FILES ${manual}/copse.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL COMPONENT tools)
  install(FILES ${manual}/copse.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME copse
    OPTIONAL COMPONENT tools)
  install(FILES ${manual}/copse.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _copse
    OPTIONAL COMPONENT tools)
  install(FILES ${manual}/copse.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    OPTIONAL COMPONENT tools)
endif()
if(TARGET copse-viewer)
  install(TARGETS copse-viewer OPTIONAL COMPONENT viewer)
  install(FILES packaging/copse-viewer.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT viewer)
  foreach(size 48 64 128 256)
    install(FILES packaging/icons/${size}.png RENAME copse-viewer.png
      DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps COMPONENT viewer)
  endforeach()
endif()
foreach(program copse-cli copse-viewer)
  if(TARGET ${program} AND BUILD_SHARED_LIBS)
    # The installed tree may be moved.
    set_target_properties(${program} PROPERTIES INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET copse-cli OR TARGET copse-viewer)
  install(FILES ${PROJECT_SOURCE_DIR}/assets/testball.ply DESTINATION ${CMAKE_INSTALL_DATADIR}/copse
    COMPONENT tools)
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(CopsePackages)
endif()
