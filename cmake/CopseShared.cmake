# The shared library libcopse.so: the object files of all parts, which are compiled for both kinds of library. It
# exports the names that are marked COPSE_API.

add_library(copse-shared SHARED)
foreach(part IN LISTS COPSE_PARTS)
  target_sources(copse-shared PRIVATE $<TARGET_OBJECTS:copse-${part}>)
endforeach()
add_library(copse::shared ALIAS copse-shared)
if(BUILD_SHARED_LIBS)
  add_library(copse::copse ALIAS copse-shared)
endif()
set_target_properties(copse-shared PROPERTIES
  OUTPUT_NAME copse
  EXPORT_NAME shared
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  EXCLUDE_FROM_ALL ${copse_parts_on_demand}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
target_compile_features(copse-shared INTERFACE cxx_std_20)
target_link_libraries(copse-shared PUBLIC glm::glm $<$<BOOL:${COPSE_THREADS}>:TBB::tbb>
  PRIVATE hwy::hwy $<$<BOOL:${COPSE_ZLIB}>:ZLIB::ZLIB>)
if(COPSE_HAS_CUDA)
  target_link_libraries(copse-shared PRIVATE CUDA::cudart_static)
endif()
copse_add_user_headers(copse-shared)

# The version script keeps back what templates of the standard library and the CUDA runtime would export.
target_link_options(copse-shared PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
if(COPSE_SANITIZE)
  # A sanitizer's own functions stay undefined in a shared library; the program brings them.
  target_compile_options(copse-shared INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${copse_sanitizer_flags}>")
  target_link_options(copse-shared PUBLIC -fsanitize=${COPSE_SANITIZE})
else()
  target_link_options(copse-shared PRIVATE -Wl,--no-undefined $<$<CONFIG:Release>:-s>)
endif()
