# Decides whether the CUDA backend is built. Sets COPSE_HAS_CUDA to 1 or 0, enables the language and sets the
# architectures.
#
# -DCMAKE_CUDA_ARCHITECTURES names the architectures. Without it, they are those of the GPUs that answer on this
# machine, or 90 if no GPU answers. Such a build has machine code for these GPUs alone, and no PTX: that would take a
# tenth of nvcc's time, and two fifths of the size of the kernels. A program that meets another GPU says for which it
# was built. -DCOPSE_CUDA_RELEASE_ARCHITECTURES=ON builds every architecture that a package should carry, with the PTX
# of the newest, which newer GPUs run. The kernels need at least 75, which is Turing.

option(COPSE_CUDA_RELEASE_ARCHITECTURES "Build for every GPU architecture that a package should carry" OFF)
set(COPSE_HAS_CUDA 0)

# Returns the architectures of the GPUs that answer, as 90-real, or nothing.
function(copse_local_gpu_architectures result)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0 AND capabilities MATCHES "^[0-9]+\\.[0-9]")
    string(REPLACE "." "" capabilities "${capabilities}")
    string(REGEX MATCHALL "[0-9]+" capabilities "${capabilities}")
    list(REMOVE_DUPLICATES capabilities)
    list(TRANSFORM capabilities APPEND -real)
    set(${result} ${capabilities} PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

if(NOT COPSE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "COPSE_CUDA is '${COPSE_CUDA}'; it takes AUTO, ON or OFF")
endif()

copse_local_gpu_architectures(COPSE_GPUS_HERE)
set(copse_architecture_hint "")
if(NOT COPSE_CUDA STREQUAL OFF)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    if(COPSE_CUDA_RELEASE_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
    elseif(COPSE_GPUS_HERE)
      set(CMAKE_CUDA_ARCHITECTURES ${COPSE_GPUS_HERE})
    else()
      set(CMAKE_CUDA_ARCHITECTURES 90-real)
      set(copse_architecture_hint " (no GPU answers here; name others by -DCMAKE_CUDA_ARCHITECTURES=NN)")
    endif()
  endif()
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    if(architecture MATCHES "^[0-9]+" AND CMAKE_MATCH_0 LESS 75)
      message(FATAL_ERROR "The CUDA architecture ${architecture} is below 75, which the kernels need; "
        "name others by -DCMAKE_CUDA_ARCHITECTURES, or build only for the CPU by -DCOPSE_CUDA=OFF")
    endif()
  endforeach()
  # The last configuration may have found no compiler that is there now. So CMake looks again.
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
      set(COPSE_HAS_CUDA 1)
      find_package(CUDAToolkit REQUIRED)
    elseif(COPSE_CUDA STREQUAL ON)
      message(FATAL_ERROR "COPSE_CUDA=ON needs nvcc 12 or newer, but this nvcc is ${CMAKE_CUDA_COMPILER_VERSION}")
    endif()
  elseif(COPSE_CUDA STREQUAL ON)
    message(FATAL_ERROR "COPSE_CUDA=ON needs nvcc, but none was found; put nvcc on the PATH or set CMAKE_CUDA_COMPILER")
  endif()
endif()

set(COPSE_BACKENDS cpu)
if(COPSE_HAS_CUDA)
  list(APPEND COPSE_BACKENDS cuda)
endif()
set(COPSE_BACKENDS ${COPSE_BACKENDS} CACHE INTERNAL "The backends of this build; read by scripts/")
set(copse_kernels "")

if(COPSE_HAS_CUDA)
  set(copse_kernels "${CMAKE_CUDA_ARCHITECTURES}${copse_architecture_hint}")
  message(STATUS "Copse: CPU and CUDA backends, kernels for architecture ${copse_kernels}")
else()
  message(STATUS "Copse: CPU backend only (no nvcc 12 or newer, or COPSE_CUDA=OFF)")
endif()
set(COPSE_KERNELS "${copse_kernels}" CACHE INTERNAL "The architectures of the kernels; read by scripts/")
