# copse_add_mpi_test(NAME TARGET [ARGUMENT])
#
# Adds tests that run TARGET by mpirun with 2 and with 4 processes, which may be more than there are cores. No part of the
# library needs MPI: <copse/mpi.h> is compiled by the programs that include it. Without MPI there are no such programs,
# and the tests are skipped. With COPSE_MPI the command line is such a program, and MPI must be there.

set(MPI_CXX_SKIP_MPICXX ON)  # its own C++ interface, which is deprecated
if(COPSE_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
else()
  find_package(MPI QUIET COMPONENTS CXX)
endif()

function(copse_add_mpi_test name target)
  if(NOT MPI_CXX_FOUND)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "MPI was not found: scripts/install-packages --mpi")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "MPI was not found" LABELS small)
    return()
  endif()
  foreach(count 2 4)
    add_test(NAME ${name}/${count} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${count} $<TARGET_FILE:${target}> ${ARGN})
    # Open MPI refuses root, and more processes than cores, and its processes do not sleep while they wait.
    set_tests_properties(${name}/${count} PROPERTIES LABELS small TIMEOUT 300 PROCESSORS 2 ${copse_ignores_leaks} ENVIRONMENT
      "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1")
  endforeach()
endfunction()
