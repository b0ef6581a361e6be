# CPack runs this file before it packs the folders of the Debian packages. It adds to each its licence and its change
# log, makes the manual page of the viewer, packs manual pages, and takes the search path of libraries out of programs: /usr/lib is searched anyway.

if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
file(GLOB folders LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(folder IN LISTS folders)
  cmake_path(GET folder FILENAME package)
  if(NOT IS_DIRECTORY ${folder}/usr)
    continue()
  endif()
  set(documents ${folder}/usr/share/doc/${package})
  file(COPY ${CPACK_COPSE_SOURCE}/packaging/debian/copyright DESTINATION ${documents})
  execute_process(COMMAND gzip -9nc ${CPACK_COPSE_BUILD}/debian/changelog
    OUTPUT_FILE ${documents}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9nc ${CPACK_COPSE_SOURCE}/CHANGELOG.md
    OUTPUT_FILE ${documents}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${CPACK_COPSE_SOURCE}/packaging/debian/${package}.lintian-overrides)
    file(MAKE_DIRECTORY ${folder}/usr/share/lintian/overrides)
    file(COPY_FILE ${CPACK_COPSE_SOURCE}/packaging/debian/${package}.lintian-overrides
      ${folder}/usr/share/lintian/overrides/${package})
  endif()
  if(EXISTS ${folder}/usr/bin/copse-viewer)
    file(MAKE_DIRECTORY ${folder}/usr/share/man/man1)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${CPACK_COPSE_BUILD} LC_ALL=C.UTF-8
      help2man --no-info "--name=look at meshes, and at the trees and grids over them"
      --output=${folder}/usr/share/man/man1/copse-viewer.1 ${folder}/usr/bin/copse-viewer COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(GLOB manuals ${folder}/usr/share/man/man1/*.1)
  foreach(manual IN LISTS manuals)
    execute_process(COMMAND gzip -9n ${manual} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB programs ${folder}/usr/bin/*)
  foreach(program IN LISTS programs)
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endforeach()
