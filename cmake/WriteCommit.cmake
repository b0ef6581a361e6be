# cmake -DSOURCE=... -DOUTPUT=... -P WriteCommit.cmake
#
# Writes a header with the commit of SOURCE, or "unknown" outside git. It runs at every build. The file changes
# only with the commit.

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE COMMIT ERROR_QUIET RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#pragma once\n#define COPSE_COMMIT \"@COMMIT@\"\n")
