# copse_add_bodies(TARGET FILE.inl... [FOR VIEW...] [STAGE NAME] [BACKENDS BACKEND...] [ALL_PRIMITIVES]
#                  [TOGETHER NAME | CUDA_TOGETHER NAME])
#
# A body is an algorithm that is written once, as templates on the executor. This function compiles each body for
# every backend: with the host compiler for the CPU, and with nvcc for CUDA. It compiles stubs that it writes into
# the build tree. In a body, copse::detail::BodyExecutor is the executor of the backend that it is compiled for,
# and copse::detail::body_backend is its Backend.
#
# A stub includes these headers of its backend before the body:
#
#   - primitives/cpu/X.h or primitives/cuda/X.cuh for each contract primitives/X.h that the body includes;
#   - the body's cooperative stages. They are written once per backend, under the body's name or under STAGE's:
#     FOLDER/NAME_cpu.h and FOLDER/NAME.cuh, or FOLDER/cpu/NAME.h and FOLDER/cuda/NAME.cuh. The stages of
#     primitives stand in primitives/cpu and primitives/cuda, because users' kernels include them.
#
# FOR compiles the body once per view, with copse::detail::BodyView as that view. So each layout has an object
# file. BACKENDS names the backends if they are not all of COPSE_BACKENDS. ALL_PRIMITIVES includes every primitive
# of the backend, for tests of the primitives.
#
# TOGETHER compiles all the bodies as one object file per backend, which is called NAME. CUDA_TOGETHER does so for
# nvcc alone, which needs 3 to 5 seconds for the headers of an object file; the CPU's object files stay apart, where
# the precompiled headers cost little. The names of bodies that are compiled together must not collide. Bodies that
# are compiled FOR views can be together if they only instantiate templates: BodyView is then a macro.

# Returns the headers that the stub of BODY includes for BACKEND, as lines of C++.
function(copse_body_includes result backend body stage all)
  set(ending h)
  set(stage_ending _cpu.h)
  if(backend STREQUAL cuda)
    set(ending cuh)
    set(stage_ending .cuh)
  endif()
  set(headers primitives/core/context.h primitives/${backend}/for_each.${ending})
  if(all)
    list(APPEND headers primitives/${backend}/primitives.${ending})
  endif()
  cmake_path(GET body PARENT_PATH folder)

  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${body})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${body} contracts REGEX "^#include \"primitives/[a-z_]+\\.h\"")
  foreach(line IN LISTS contracts)
    string(REGEX REPLACE "^#include \"primitives/([a-z_]+)\\.h\".*" "\\1" name "${line}")
    list(APPEND headers primitives/${backend}/${name}.${ending} primitives/loops/${name}${stage_ending})
  endforeach()
  file(STRINGS ${PROJECT_SOURCE_DIR}/${body} loops REGEX "^#include \"primitives/loops/[a-z_]+\\.h\"")
  foreach(line IN LISTS loops)
    string(REGEX REPLACE "^#include \"primitives/loops/([a-z_]+)\\.h\".*" "\\1" name "${line}")
    list(APPEND headers primitives/loops/${name}${stage_ending})
  endforeach()
  if(folder MATCHES "^primitives/")
    list(APPEND headers primitives/${backend}/${stage}.${ending})
  endif()
  list(APPEND headers ${folder}/${stage}${stage_ending} ${folder}/${backend}/${stage}.${ending} ${stage}${stage_ending})

  list(REMOVE_DUPLICATES headers)
  set(lines "")
  foreach(header IN LISTS headers)
    if(EXISTS ${PROJECT_SOURCE_DIR}/${header})
      string(APPEND lines "#include \"${header}\"\n")
    endif()
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Writes the stub of bodies that are compiled together. `stage` is empty where the stages have the bodies' names.
function(copse_write_body_stub stub backend bodies stage views all)
  set(includes "")
  set(view_line "")
  set(body_lines "")
  list(LENGTH views view_count)
  foreach(body IN LISTS bodies)
    cmake_path(GET body STEM LAST_ONLY stage_of_body)
    if(stage)
      set(stage_of_body ${stage})
    endif()
    copse_body_includes(of_body ${backend} ${body} ${stage_of_body} ${all})
    string(REPLACE "\n" ";" of_body "${of_body}")
    list(APPEND includes ${of_body})
    if(view_count LESS 2)
      string(APPEND body_lines "#include \"${body}\"\n")
    else()
      foreach(view IN LISTS views)
        string(APPEND body_lines "#define BodyView copse::${view}\n#include \"${body}\"\n#undef BodyView\n")
      endforeach()
    endif()
  endforeach()
  if(view_count EQUAL 1)
    set(view_line "using BodyView = copse::${views};\n")
  endif()
  if(views)
    list(APPEND includes "#include \"trace/tree_view.h\"")
  endif()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  file(CONFIGURE OUTPUT ${stub} @ONLY CONTENT
"@includes@

namespace copse::detail {
using BodyExecutor = @backend@::Executor;
inline constexpr Backend body_backend = Backend::@backend@;
@view_line@}
@body_lines@")
endfunction()

# A stub is never compiled together with other files: two of them define the same names.
function(copse_add_stub target stub)
  target_sources(${target} PRIVATE ${stub})
  set_source_files_properties(${stub} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(copse_add_bodies target)
  cmake_parse_arguments(arg "ALL_PRIMITIVES" "STAGE;TOGETHER;CUDA_TOGETHER" "FOR;BACKENDS" ${ARGN})
  if(NOT arg_BACKENDS)
    set(arg_BACKENDS ${COPSE_BACKENDS})
  endif()
  set(names "")
  foreach(body IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH body BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    list(APPEND names ${name})
  endforeach()
  foreach(backend IN LISTS arg_BACKENDS)
    set(ending cpp)
    set(together ${arg_TOGETHER})
    if(backend STREQUAL cuda)
      set(ending cu)
      set(together ${arg_TOGETHER} ${arg_CUDA_TOGETHER})
    endif()
    if(together)
      set(stub ${PROJECT_BINARY_DIR}/bodies/${together}.${ending})
      copse_write_body_stub(${stub} ${backend} "${names}" "${arg_STAGE}" "${arg_FOR}" ${arg_ALL_PRIMITIVES})
      copse_add_stub(${target} ${stub})
      continue()
    endif()
    foreach(name IN LISTS names)
      if(NOT arg_FOR)
        set(stub ${PROJECT_BINARY_DIR}/bodies/${name}.${ending})
        copse_write_body_stub(${stub} ${backend} ${name} "${arg_STAGE}" "" ${arg_ALL_PRIMITIVES})
        copse_add_stub(${target} ${stub})
      endif()
      foreach(view IN LISTS arg_FOR)
        set(stub ${PROJECT_BINARY_DIR}/bodies/${name}.${view}.${ending})
        copse_write_body_stub(${stub} ${backend} ${name} "${arg_STAGE}" ${view} ${arg_ALL_PRIMITIVES})
        copse_add_stub(${target} ${stub})
      endforeach()
    endforeach()
  endforeach()
endfunction()
