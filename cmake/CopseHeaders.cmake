# This file says which folders the compilers search for headers.
#
# The repository's own sources include "trace/ray.h" from its root. Its examples and tests also include
# <copse/copse.h>, as users do, by links in the build tree. Both folders belong to the directories of this project
# alone. They are no part of the library's interface, so that a program's own trace/ray.h is never hidden by ours.

include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)

if(IS_SYMLINK ${PROJECT_BINARY_DIR}/include/copse)
  file(REMOVE ${PROJECT_BINARY_DIR}/include/copse)
endif()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/copse)
file(GLOB copse_doors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/copse/*.h)
foreach(door IN LISTS copse_doors ITEMS copse.h primitives builders trace queries accel scene motion scale capi)
  cmake_path(ABSOLUTE_PATH door BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  cmake_path(GET door FILENAME name)
  file(CREATE_LINK ${door} ${PROJECT_BINARY_DIR}/include/copse/${name} SYMBOLIC)
endforeach()

# Users' programs get the headers as WriteHeaders.cmake writes them: after cmake --install from the installed folder,
# and inside another project from the build tree. A build of Copse alone needs none of this.
set(copse_written_headers ${PROJECT_BINARY_DIR}/headers)
set(copse_write_headers ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${copse_written_headers}
  -P ${PROJECT_SOURCE_DIR}/cmake/WriteHeaders.cmake)

# Adds the folder of the headers to the interface of the target.
function(copse_add_user_headers target)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(NOT PROJECT_IS_TOP_LEVEL)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${copse_written_headers}>)
    add_dependencies(${target} copse-headers)
  endif()
endfunction()

if(NOT PROJECT_IS_TOP_LEVEL)
  set(patterns ${PROJECT_SOURCE_DIR}/copse.h)
  foreach(room copse primitives builders trace queries accel scene motion scale capi)
    list(APPEND patterns ${PROJECT_SOURCE_DIR}/${room}/*.h ${PROJECT_SOURCE_DIR}/${room}/*.cuh)
  endforeach()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${patterns})
  add_custom_command(OUTPUT ${copse_written_headers}/stamp
    COMMAND ${copse_write_headers}
    COMMAND ${CMAKE_COMMAND} -E touch ${copse_written_headers}/stamp
    DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/cmake/WriteHeaders.cmake
    COMMENT "Writing the headers of Copse" VERBATIM)
  add_custom_target(copse-headers DEPENDS ${copse_written_headers}/stamp)
endif()
copse_add_user_headers(copse-core)
