# This file says how everything of Copse is compiled.
#
# Hits must be equal between backends. So all of Copse is compiled without contraction of a*b+c, and the host side of
# nvcc too. COPSE_NO_CONTRACTION tells the headers so. Users' programs do not get the option: there the headers
# prevent contraction themselves (primitives/core/bits.h). CMake 3.25.1 silently drops CUDA_STANDARD 20. So nvcc gets
# the option itself.

add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
add_compile_definitions($<$<COMPILE_LANGUAGE:CXX>:COPSE_NO_CONTRACTION>)

# From 12.8 on, nvcc can compress the machine code of the kernels to the least size. For one architecture this takes a
# thirtieth of nvcc's time, and the kernels have a fifth of their size. It is done for what is installed, and not for
# tests. The faster modes compress only where there are several architectures.
set(copse_small_code "")
if(COPSE_HAS_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  set(copse_small_code $<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
endif()

# These are warnings and nvcc's options, for every target of the project itself.
add_library(copse_build_options INTERFACE)
target_compile_options(copse_build_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-unknown-pragmas>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  # & and | of conditions are meant where a branch would cost more than a comparison.
  "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-bitwise-instead-of-logical;-Wno-unused-private-field>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-std=c++20 --fmad=false -Xcompiler=-ffp-contract=off,-Wall,-Wextra,-Wno-unknown-pragmas>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-diag-suppress=20012 -Wno-deprecated-gpu-targets -Werror=cross-execution-space-call>")

# The shared library exports what is marked COPSE_API. The static libraries are made of the same object files.
set(copse_hidden_names CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

# Inside another project, only the parts that it links to are built.
set(copse_parts_on_demand OFF)
if(NOT PROJECT_IS_TOP_LEVEL AND NOT COPSE_INSTALL)
  set(copse_parts_on_demand ON)
endif()

function(copse_add_part part)
  set(target copse-${part})
  add_library(${target} STATIC)
  add_library(copse::${part} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${part} EXCLUDE_FROM_ALL ${copse_parts_on_demand}
    ${copse_hidden_names})
  copse_compile_together(${target} 8)
  target_link_libraries(copse INTERFACE ${target})
  target_compile_definitions(${target} PRIVATE COPSE_HAS_CUDA=${COPSE_HAS_CUDA})
  # The options are copied by value. A link to the target would have to be exported with the library.
  target_compile_options(${target} PRIVATE
    $<TARGET_PROPERTY:copse_build_options,INTERFACE_COMPILE_OPTIONS> ${copse_small_code})
  target_link_libraries(${target} PUBLIC ${ARGN})
  if(COPSE_HAS_CUDA)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
endfunction()

copse_add_part(core glm::glm $<$<BOOL:${COPSE_THREADS}>:TBB::tbb>)
target_compile_features(copse-core PUBLIC cxx_std_20)
target_link_libraries(copse-core PRIVATE hwy::hwy)

copse_add_part(motion copse-core)
copse_add_part(batches copse-core)
copse_add_part(hit-lists copse-core)
target_link_libraries(copse-hit-lists PRIVATE hwy::hwy)
copse_add_part(grids copse-core)
copse_add_part(grid-rays copse-grids)
copse_add_part(queries copse-core)
copse_add_part(nested copse-hit-lists copse-queries)
copse_add_part(primitives copse-core)
copse_add_part(scale copse-core)
copse_add_part(shards copse-scale ${CMAKE_DL_LIBS})
copse_add_part(shard-queries copse-shards copse-queries)

# Every body includes these headers of other projects. They are precompiled once for all parts. A .cpp file is
# compiled without them: it includes a header of its own first, and so proves that this header is whole.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/foreign_headers.cpp CONTENT "")
add_library(copse-foreign-headers OBJECT ${PROJECT_BINARY_DIR}/generated/foreign_headers.cpp)
target_compile_features(copse-foreign-headers PUBLIC cxx_std_20)
set_target_properties(copse-foreign-headers PROPERTIES ${copse_hidden_names})
target_compile_options(copse-foreign-headers PRIVATE
  $<TARGET_PROPERTY:copse_build_options,INTERFACE_COMPILE_OPTIONS>)
target_link_libraries(copse-foreign-headers PRIVATE glm::glm)
target_precompile_headers(copse-foreign-headers PRIVATE
  <algorithm> <array> <atomic> <bit> <cmath> <concepts> <cstring> <functional> <memory> <optional> <span> <stdexcept> <string>
  <type_traits> <utility> <variant> <vector> <glm/glm.hpp>)
foreach(part IN LISTS COPSE_PARTS)
  target_precompile_headers(copse-${part} REUSE_FROM copse-foreign-headers)
endforeach()
function(copse_compile_sources_without_precompiled_headers)
  foreach(part IN LISTS COPSE_PARTS)
    get_target_property(sources copse-${part} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "/bodies/")
    set_source_files_properties(${sources} TARGET_DIRECTORY copse-${part} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endfunction()
cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL copse_compile_sources_without_precompiled_headers)

include(CopseHeaders)
include(CopseSanitizers)
