# copse_compile_together(TARGET COUNT)
#
# Compiles the .cpp files of TARGET as files of COUNT each, in the order in which they are listed. The headers of the
# library and of the packages are then read, and their inline functions compiled, once for COUNT files. So a name in an
# unnamed namespace must be the only one of its target, and a file includes what it needs although the one before it
# did. The presets clang and debug compile each file alone (-DCOPSE_UNITY=OFF), which proves the latter.
#
# Bodies stay apart: copse_add_bodies says which of them are compiled together.
function(copse_compile_together target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${COPSE_UNITY} UNITY_BUILD_BATCH_SIZE ${count})
endfunction()
