# Helpers that make one target per folder, so that a new file needs no change of any CMakeLists.txt.

# phalanx_library(NAME [DEPS target...] [PRIVATE target...])
#
# The static library phalanx_NAME (alias phalanx::NAME) of all *.cc below the current folder, without
# *_main.cc. Headers are included from src/ and include/. DEPS are linked PUBLIC, PRIVATE ones do not
# show to those who link it. A folder without sources yet becomes an INTERFACE library.
function(phalanx_library name)
  cmake_parse_arguments(ARG "" "" "DEPS;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  list(FILTER sources EXCLUDE REGEX "_main\\.cc$")
  set(target "phalanx_${name}")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}/src"
                                                "${CMAKE_SOURCE_DIR}/include")
    target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE} phalanx_warnings)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${CMAKE_SOURCE_DIR}/src"
                                                   "${CMAKE_SOURCE_DIR}/include")
    target_link_libraries(${target} INTERFACE ${ARG_DEPS})
  endif()
  add_library(phalanx::${name} ALIAS ${target})
endfunction()

# phalanx_program(NAME MAIN DEPS target...)
#
# The program NAME in PHALANX_BIN_DIR from the file MAIN, if that exists.
function(phalanx_program name main)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${main}")
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} phalanx_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PHALANX_BIN_DIR}")
endfunction()

# phalanx_test_dir(DIR DEPS target... [LABELS label...] [TIMEOUT seconds])
#
# One GoogleTest program of all *.cc below DIR (relative to the current folder), each of its tests
# registered with ctest as DIR/Suite.Name. Nothing where DIR has no *_test.cc. TIMEOUT is per test.
function(phalanx_test_dir dir)
  cmake_parse_arguments(ARG "" "TIMEOUT" "DEPS;LABELS" ${ARGN})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*_test.cc")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cc")
  if(NOT tests)
    return()
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}/test" "${CMAKE_CURRENT_SOURCE_DIR}/${dir}")
  string(REGEX REPLACE "[/]" "_" target "${path}_test")
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/test")
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest GTest::gtest_main
                                          phalanx_warnings)
  target_compile_definitions(${target}
                             PRIVATE PHALANX_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/${dir}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test")
  gtest_discover_tests(
    ${target}
    TEST_PREFIX "${path}/"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# phalanx_test_dirs(DEPS ... LABELS ... TIMEOUT ...): phalanx_test_dir for each folder below here.
function(phalanx_test_dirs)
  file(GLOB entries CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
       "${CMAKE_CURRENT_SOURCE_DIR}/*")
  foreach(entry IN LISTS entries)
    if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${entry}")
      phalanx_test_dir(${entry} ${ARGN})
    endif()
  endforeach()
endfunction()

# phalanx_proto_library(NAME): the static library NAME with messages and gRPC stubs of all
# proto/**/*.proto. Its headers show to those who link it directly, and to nobody else.
function(phalanx_proto_library name)
  set(root "${CMAKE_SOURCE_DIR}/proto")
  set(out "${CMAKE_BINARY_DIR}/gen")
  file(GLOB_RECURSE protos CONFIGURE_DEPENDS RELATIVE "${root}" "${root}/*.proto")
  if(NOT protos)
    add_library(${name} INTERFACE)
    return()
  endif()
  set(generated)
  foreach(proto IN LISTS protos)
    string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
    list(APPEND generated "${out}/${stem}.pb.cc" "${out}/${stem}.grpc.pb.cc")
    list(APPEND headers "${out}/${stem}.pb.h" "${out}/${stem}.grpc.pb.h")
    list(APPEND inputs "${root}/${proto}")
  endforeach()
  add_custom_command(
    OUTPUT ${generated} ${headers}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${out}"
    COMMAND "${PROTOC_PROGRAM}" "--proto_path=${root}" "--cpp_out=${out}" "--grpc_out=${out}"
            "--plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN_PROGRAM}" ${protos}
    DEPENDS ${inputs}
    COMMENT "Generating C++ from the .proto files"
    VERBATIM)
  add_library(${name} STATIC ${generated})
  target_include_directories(${name} SYSTEM PUBLIC "${out}")
  target_link_libraries(${name} PUBLIC gRPC::grpc++ protobuf::libprotobuf)
endfunction()
