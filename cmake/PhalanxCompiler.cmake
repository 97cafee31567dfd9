# Compiler settings: build types, warnings, sanitizers, ccache.

# -DNDEBUG stays out of Dev: assertions there are part of the tests.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEV "-O1 -g -D_GLIBCXX_ASSERTIONS")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Paths in messages and debug info are relative to the repository, so that objects do not depend on
# where the clone lies. ccache hands the compiler relative paths, hence the second map.
file(RELATIVE_PATH to_source "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}")
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=${to_source}=")

if(PHALANX_SANITIZE)
  add_compile_options("-fsanitize=${PHALANX_SANITIZE}" -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${PHALANX_SANITIZE}")
  if(PHALANX_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()

# Warnings for hand-written code only: link this target, generated code does not.
add_library(phalanx_warnings INTERFACE)
# Designated initializers leave out what keeps its default.
target_compile_options(phalanx_warnings INTERFACE -Wall -Wextra -Werror
                                                  -Wno-missing-field-initializers)

# CCACHE_BASEDIR rewrites absolute paths below the clone, CCACHE_NOHASHDIR leaves the build folder's
# name out of the key: a second clone of the same commit compiles from the cache.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "${CCACHE_PROGRAM}")
endif()
