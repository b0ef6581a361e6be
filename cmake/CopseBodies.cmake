# copse_add_bodies(TARGET FILE.inl...)
#
# A body is an algorithm written once, as templates on the executor. This compiles each body twice: with the
# host compiler for the CPU backend and with nvcc for CUDA, from stubs written into the build tree. In a body,
# copse::detail::BodyExecutor is the executor of the backend that it is compiled for, and
# copse::detail::body_backend its Backend.
#
# A body whose cooperative stages are written once for each backend has them beside it, under its own name:
# FOLDER/NAME.inl finds FOLDER/cpu/NAME.h or FOLDER/cuda/NAME.cuh included.

function(copse_write_body_stub backend body stub)
  set(header_ending h)
  if(backend STREQUAL cuda)
    set(header_ending cuh)
  endif()
  set(includes "#include \"primitives/${backend}/primitives.${header_ending}\"
#include \"primitives/core/context.h\"")
  cmake_path(GET body PARENT_PATH folder)
  cmake_path(GET body STEM LAST_ONLY name)
  set(stages ${folder}/${backend}/${name}.${header_ending})
  if(NOT folder STREQUAL primitives AND EXISTS ${PROJECT_SOURCE_DIR}/${stages})
    string(APPEND includes "\n#include \"${stages}\"")
  endif()
  file(CONFIGURE OUTPUT ${stub} @ONLY CONTENT
"@includes@
namespace copse::detail {
using BodyExecutor = @backend@::Executor;
inline constexpr Backend body_backend = Backend::@backend@;
}
#include \"@body@\"
")
endfunction()

function(copse_add_bodies target)
  foreach(body IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH body BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    copse_write_body_stub(cpu ${name} ${PROJECT_BINARY_DIR}/bodies/${name}.cpp)
    target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/bodies/${name}.cpp)
    if(COPSE_HAS_CUDA)
      copse_write_body_stub(cuda ${name} ${PROJECT_BINARY_DIR}/bodies/${name}.cu)
      target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/bodies/${name}.cu)
    endif()
  endforeach()
endfunction()
