# For find_package(indexfuzz), in this build and in an installed tree: the header for tests of other projects.
include(CMakePackageConfigHelpers)

set(check_include ${PROJECT_SOURCE_DIR}/include)
set(check_program ${PROJECT_BINARY_DIR}/indexfuzz)
configure_file(cmake/indexfuzz-config.cmake.in indexfuzz-config.cmake @ONLY)
# Relative to the file, since an installed tree may be moved.
set(check_include [[${CMAKE_CURRENT_LIST_DIR}/../../../include]])
set(check_program [[${CMAKE_CURRENT_LIST_DIR}/../../../bin/indexfuzz]])
configure_file(cmake/indexfuzz-config.cmake.in installed/indexfuzz-config.cmake @ONLY)
write_basic_package_version_file(indexfuzz-config-version.cmake COMPATIBILITY SameMajorVersion)

install(DIRECTORY include/ DESTINATION include)
install(FILES ${PROJECT_BINARY_DIR}/installed/indexfuzz-config.cmake ${PROJECT_BINARY_DIR}/indexfuzz-config-version.cmake
  DESTINATION lib/cmake/indexfuzz)
