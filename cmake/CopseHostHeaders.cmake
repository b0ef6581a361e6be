# For cross compilers: libraries that are headers alone are taken from this machine, where Debian installs them into
# /usr/include. This folder itself must not be searched, because the headers of the machine's own C library are in it.
# So the build tree gets a folder of links to single libraries, and the files with which CMake finds them.
#
# The presets web and aarch64 name this file in CMAKE_PROJECT_copse_INCLUDE_BEFORE.

set(copse_host_headers ${CMAKE_BINARY_DIR}/host-headers)
file(MAKE_DIRECTORY ${copse_host_headers}/include)
foreach(name glm hwy nlohmann CLI fmt stb tiny_gltf.h xxhash.h)
  if(NOT EXISTS /usr/include/${name})
    message(FATAL_ERROR "/usr/include/${name} is missing; scripts/install-packages installs it")
  endif()
  file(CREATE_LINK /usr/include/${name} ${copse_host_headers}/include/${name} SYMBOLIC)
endforeach()

# Highway chooses among instruction sets at run time by its library. Here there is one set, so the headers suffice.
foreach(package glm:glm::glm hwy:hwy::hwy CLI11:CLI11::CLI11 fmt:fmt::fmt nlohmann_json:nlohmann_json::nlohmann_json)
  string(REGEX MATCH "^([^:]*):(.*)$" matched ${package})
  set(name ${CMAKE_MATCH_1})
  set(target ${CMAKE_MATCH_2})
  set(${name}_DIR ${copse_host_headers}/${name})
  file(CONFIGURE OUTPUT ${${name}_DIR}/${name}-config.cmake @ONLY CONTENT
"if(NOT TARGET @target@)
  add_library(@target@ INTERFACE IMPORTED)
  target_include_directories(@target@ SYSTEM INTERFACE @copse_host_headers@/include)
  target_compile_definitions(@target@ INTERFACE $<$<STREQUAL:@name@,fmt>:FMT_HEADER_ONLY>)
endif()
")
endforeach()

set(COPSE_STB_INCLUDE_DIR ${copse_host_headers}/include/stb)
set(COPSE_TINYGLTF_INCLUDE_DIR ${copse_host_headers}/include)
set(COPSE_XXHASH_INCLUDE_DIR ${copse_host_headers}/include)
set(COPSE_JSON_INCLUDE_DIR ${copse_host_headers}/include)

# The tests compile GoogleTest from Debian's sources.
set(GTest_DIR ${copse_host_headers}/GTest)
file(CONFIGURE OUTPUT ${GTest_DIR}/GTestConfig.cmake @ONLY CONTENT
"if(NOT TARGET GTest::gtest)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
endif()
foreach(name gtest gtest_main)
  if(NOT TARGET GTest::\${name})
    add_library(GTest::\${name} ALIAS \${name})
  endif()
endforeach()
")
