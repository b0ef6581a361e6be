# The target copse-commit writes generated/copse_commit.h. It defines COPSE_COMMIT, so that results name the commit
# that made them.

add_custom_target(copse-commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${PROJECT_BINARY_DIR}/generated/copse_commit.h
    -P ${PROJECT_SOURCE_DIR}/cmake/WriteCommit.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/copse_commit.h)
