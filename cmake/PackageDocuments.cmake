# CPack runs this file before it packs the folders of the Debian packages. It adds to each its licence and its change
# log, and takes the search path of libraries out of programs: /usr/lib is searched anyway.

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
  file(INSTALL ${CPACK_COPSE_SOURCE}/packaging/debian/copyright DESTINATION ${documents})
  execute_process(COMMAND gzip -9nc ${CPACK_COPSE_BUILD}/debian/changelog
    OUTPUT_FILE ${documents}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9nc ${CPACK_COPSE_SOURCE}/CHANGELOG.md
    OUTPUT_FILE ${documents}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${CPACK_COPSE_SOURCE}/packaging/debian/${package}.lintian-overrides)
    file(INSTALL ${CPACK_COPSE_SOURCE}/packaging/debian/${package}.lintian-overrides
      DESTINATION ${folder}/usr/share/lintian/overrides RENAME ${package})
  endif()
  file(GLOB programs ${folder}/usr/bin/*)
  foreach(program IN LISTS programs)
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endforeach()
