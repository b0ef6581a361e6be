# The port builds the checkout that it stands in.
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")

vcpkg_check_features(OUT_FEATURE_OPTIONS feature_options FEATURES cuda COPSE_CUDA)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" dynamic is_shared)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${feature_options}
    -DCOPSE_SHARED=${is_shared}
    -DCOPSE_CUDA_RELEASE_ARCHITECTURES=ON
    -DCOPSE_BUILD_TESTS=OFF
    -DCOPSE_BUILD_EXAMPLES=OFF
    -DCOPSE_CLI=OFF
    -DCOPSE_VIEWER=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/copse)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
