# COPSE_SANITIZE serves the presets asan and tsan.
#
# CTest itself passes the sanitizers' settings to every test. So a program that a test starts has them too.

set(COPSE_SANITIZE "" CACHE STRING "Comma separated sanitizers for all targets, as in address,undefined")
set(copse_ignores_leaks "")
if(NOT COPSE_SANITIZE)
  return()
endif()

set(copse_sanitizer_flags -fsanitize=${COPSE_SANITIZE} -fno-omit-frame-pointer)
if(COPSE_SANITIZE MATCHES undefined)
  list(APPEND copse_sanitizer_flags -fno-sanitize-recover=undefined)
endif()
# Everything links to the library, so everything is instrumented. A mixture would merge instrumented inline
# functions with others.
target_compile_options(copse-core PUBLIC "$<$<COMPILE_LANGUAGE:CXX>:${copse_sanitizer_flags}>")
target_compile_options(copse-foreign-headers PRIVATE ${copse_sanitizer_flags})
target_link_options(copse-core PUBLIC -fsanitize=${COPSE_SANITIZE})
# The library of oneTBB is not instrumented. If its headers were, the sanitizer would see half of what oneTBB does. One file
# includes them, and shows how work is handed to tasks (primitives/cpu/tsan_annotations.h).
if(COPSE_SANITIZE MATCHES thread)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/primitives/cpu/workers_tbb.cpp TARGET_DIRECTORY copse-core PROPERTIES
    COMPILE_OPTIONS -fno-sanitize=thread COMPILE_DEFINITIONS COPSE_SHOWS_HAND_OVER=1
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endif()

# Properties of tests of programs that use the libraries of windows, or MPI. These keep memory until the end, and are closed
# before the address sanitizer looks for leaks.
set(copse_ignores_leaks ENVIRONMENT_MODIFICATION ASAN_OPTIONS=string_append::detect_leaks=0)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sanitizers.ctest @ONLY CONTENT [[
set(ENV{ASAN_OPTIONS} "detect_stack_use_after_return=1:check_initialization_order=1:strict_init_order=1:allocator_may_return_null=1")
set(ENV{UBSAN_OPTIONS} "print_stacktrace=1:halt_on_error=1")
set(ENV{TSAN_OPTIONS} "suppressions=@PROJECT_SOURCE_DIR@/tests/support/tsan.supp:allocator_may_return_null=1")
]])
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY TEST_INCLUDE_FILES
  ${PROJECT_BINARY_DIR}/sanitizers.ctest)
