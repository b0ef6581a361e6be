# Packages by CPack, which scripts/package makes from the components of CopseInstall.cmake:
#
#   libcopse0      the shared libraries of the C++ and of the C interface
#   libcopse-dev   headers, static libraries, files for CMake and pkg-config
#   copse-tools    the command line, with the bundled mesh
#   copse-viewer   the viewer
#
# and an archive .tar.gz of all of it.

set(CPACK_PACKAGE_NAME copse)
set(CPACK_PACKAGE_VENDOR "The Copse authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL development)
foreach(component_of shared:copse-shared c:copse_c c-development:copse_c tools:copse-cli viewer:copse-viewer)
  string(REPLACE ":" ";" component_of ${component_of})
  list(GET component_of 0 component)
  list(GET component_of 1 target)
  if(TARGET ${target})
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endif()
endforeach()
set(COPSE_PACKAGE_CONTACT "The Copse authors <copse@packages.invalid>" CACHE STRING "Maintainer, as packages name them")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${COPSE_PACKAGE_CONTACT})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# Programs that link to the shared library need the very version that they were built with.
set(copse_program_needs "")
if(BUILD_SHARED_LIBS)
  set(copse_program_needs "libcopse0 (= ${CPACK_DEBIAN_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
endif()

# Declares a package. The description has short lines, as Debian wants them.
set(copse_exactly "(= ${CPACK_DEBIAN_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
function(copse_add_package name section depends summary description)
  cmake_parse_arguments(arg "" "" "COMPONENTS;RECOMMENDS" ${ARGN})
  string(TOUPPER ${name} group)
  set(prefix CPACK_DEBIAN_${group})
  foreach(component IN LISTS arg_COMPONENTS)
    string(TOUPPER ${component} upper)
    set(CPACK_COMPONENT_${upper}_GROUP ${name} PARENT_SCOPE)
  endforeach()
  set(CPACK_COMPONENT_GROUP_${group}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(${prefix}_FILE_NAME DEB-DEFAULT PARENT_SCOPE)
  set(${prefix}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(${prefix}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}" PARENT_SCOPE)
  set(${prefix}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
endfunction()

set(copse_about "Copse builds acceleration structures for ray tracing on CUDA and on the CPU,\n\
with the same bits on both: trees of boxes, grids and kd-trees over triangles,\n\
scenes of instances, and rays and queries through them.\n.\n")
copse_add_package(libcopse0 libs "" "acceleration structures for ray tracing"
  "${copse_about}This package has the shared libraries of the C++ and of the C interface.\n\
They need no NVIDIA driver. A GPU of architecture 75 or newer is used if there\nis one." COMPONENTS shared c)
copse_add_package(libcopse-dev libdevel
  "libcopse0 ${copse_exactly}, libglm-dev, libtbb-dev, libhwy-dev, zlib1g-dev"
  "acceleration structures for ray tracing (development files)"
  "${copse_about}This package has the headers, the static libraries, and what CMake and\npkg-config need."
  COMPONENTS development c-development)
copse_add_package(copse-tools graphics "${copse_program_needs}" "acceleration structures for ray tracing (command line)"
  "${copse_about}This package has the command copse, which builds trees, prints statistics of\n\
them, renders pictures, and measures rays." COMPONENTS tools)
copse_add_package(copse-viewer graphics "copse-tools ${copse_exactly}, fonts-dejavu-core"
  "acceleration structures for ray tracing (viewer)"
  "${copse_about}This package has a viewer that shows meshes, the boxes of their trees, and\nthe walk of a ray."
  COMPONENTS viewer RECOMMENDS ffmpeg)

# The system's loader learns of the libraries by a trigger. Other packages that link to them need this very version.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/shlibs CONTENT
"libcopse ${PROJECT_VERSION_MAJOR} libcopse0 ${copse_exactly}
libcopse_c ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} libcopse0 ${copse_exactly}
")
set(CPACK_DEBIAN_LIBCOPSE0_PACKAGE_CONTROL_EXTRA
  ${PROJECT_BINARY_DIR}/debian/triggers ${PROJECT_BINARY_DIR}/debian/shlibs)

# Each Debian package has a change log and its licence. PackageDocuments.cmake puts them there.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%cD
  OUTPUT_VARIABLE COPSE_PACKAGE_DATE ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT COPSE_PACKAGE_DATE)
  string(TIMESTAMP COPSE_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
configure_file(packaging/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageDocuments.cmake)
set(CPACK_COPSE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_COPSE_BUILD ${PROJECT_BINARY_DIR})
include(CPack)
