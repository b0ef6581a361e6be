# cmake -DSOURCE=... -DOUTPUT=... -P WriteHeaders.cmake
#
# Writes the headers that users need to OUTPUT/copse, as they are installed. Inside the repository, headers include each
# other as "trace/ray.h", from its root. Here they include each other as <copse/trace/ray.h>. So one include path is
# enough, and a user's own trace/ray.h is never taken for ours.
#
# Users need the doors, the headers at the top of the rooms, the templates of primitives/cpu and primitives/cuda, and
# all headers that these include. A file changes only if its text does, so that nothing is compiled again without need.
#
# To the user's compiler they are system headers. So a program that is compiled with -Wall -Werror and -I gets no warnings
# of ours: host compilers do not know #pragma unroll. The C interface has none, and stays as it is for any C compiler.

cmake_minimum_required(VERSION 3.25)

set(rooms
  copse primitives primitives/cpu primitives/cuda builders builders/bvh builders/geometry builders/grid builders/io
  builders/kd builders/points trace queries accel scene motion scale capi)

set(headers copse.h)
foreach(room IN LISTS rooms)
  file(GLOB found RELATIVE ${SOURCE} ${SOURCE}/${room}/*.h ${SOURCE}/${room}/*.cuh)
  list(APPEND headers ${found})
endforeach()

# Returns the path from the root of the header that `from` includes as "name".
function(copse_included_header result from name)
  cmake_path(GET from PARENT_PATH folder)
  set(beside ${folder}/${name})
  if(folder AND EXISTS ${SOURCE}/${beside})
    set(${result} ${beside} PARENT_SCOPE)
  elseif(EXISTS ${SOURCE}/${name})
    set(${result} ${name} PARENT_SCOPE)
  else()
    message(FATAL_ERROR "${from} includes \"${name}\", which is neither beside it nor in ${SOURCE}")
  endif()
endfunction()

# Returns the path under which a header is installed, below include/. The doors are in copse/ already.
function(copse_installed_path result header)
  string(REGEX REPLACE "^copse/" "" below ${header})
  set(${result} copse/${below} PARENT_SCOPE)
endfunction()

set(written "")
while(headers)
  list(POP_FRONT headers header)
  copse_installed_path(installed ${header})
  if(installed IN_LIST written)
    continue()
  endif()
  list(APPEND written ${installed})

  file(READ ${SOURCE}/${header} text)
  file(STRINGS ${SOURCE}/${header} lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" name "${line}")
    copse_included_header(included ${header} ${name})
    copse_installed_path(path ${included})
    string(REPLACE "\"${name}\"" "<${path}>" installed_line "${line}")
    string(REPLACE "${line}" "${installed_line}" text "${text}")
    list(APPEND headers ${included})
  endforeach()

  if(NOT installed MATCHES "^copse/(c\\.h|capi/)")
    string(REPLACE "#pragma once\n" "#pragma once\n#pragma GCC system_header\n" text "${text}")
  endif()

  set(before "")
  if(EXISTS ${OUTPUT}/${installed})
    file(READ ${OUTPUT}/${installed} before)
  endif()
  if(NOT text STREQUAL before)
    file(WRITE ${OUTPUT}/${installed} "${text}")
  endif()
endwhile()

# What an earlier run wrote, and what is a header no more, goes away.
file(GLOB_RECURSE old RELATIVE ${OUTPUT} ${OUTPUT}/copse/*)
list(REMOVE_ITEM old ${written})
foreach(file IN LISTS old)
  file(REMOVE ${OUTPUT}/${file})
endforeach()
