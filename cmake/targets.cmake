# kg_library(NAME SOURCES... LINK TARGETS... PRECOMPILE HEADERS... SEPARATE): one library target for each folder. PRECOMPILE: headers
# that most of its files include and that rarely change. SEPARATE, and with PRECOMPILE always: each file is compiled by itself, even with
# KG_UNITY; for files whose local names collide.
function(kg_library name)
  cmake_parse_arguments(ARG "SEPARATE" "" "SOURCES;LINK;PRECOMPILE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_PRECOMPILE OR ARG_SEPARATE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(ARG_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${ARG_PRECOMPILE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(${name} PRIVATE -fpch-preprocess)  # for ccache
    endif()
  endif()
endfunction()

# kg_test(NAME SOURCES... LINK TARGETS... LABELS LABELS... TIMEOUT SECONDS), called from tests/KIND/FOLDER.cmake: one GoogleTest
# program whose cases ctest finds. Sources are relative to tests/KIND; the label KIND is always set. Labels "slow", "network" and "peer" keep a
# test out of the default suite (scripts/test.sh). COMPILES_KERNELS: it compiles and runs kernels by tests/integration/ascendc_kernel.h; such a
# program precompiles their header and compiles many in one go, so it is one test: a process for each case would do that again.
# TOGETHER: one test, too, for a program with LibTorch whose start takes longer than its cases. SEPARATE: as of kg_library.
function(kg_test name)
  cmake_parse_arguments(ARG "COMPILES_KERNELS;TOGETHER;SEPARATE" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  get_filename_component(kind ${CMAKE_CURRENT_LIST_DIR} NAME)
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  if(ARG_COMPILES_KERNELS)
    list(APPEND ARG_SOURCES ${CMAKE_SOURCE_DIR}/tests/integration/ascendc_kernel.cpp)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_SEPARATE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE KG_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KG_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(TARGET kgtrain-kernel-passes AND ARG_COMPILES_KERNELS)
    target_compile_definitions(${name} PRIVATE KG_KERNEL_PASSES="$<TARGET_FILE:kgtrain-kernel-passes>")
    add_dependencies(${name} kgtrain-kernel-passes)
    # Not with sanitizers: LLVM's memory is never freed, and that library is not built with them.
    if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      target_compile_definitions(${name} PRIVATE KG_WARM_COMPILER)
      target_link_libraries(${name} PRIVATE kg_warm_compiler)
    endif()
  endif()
  # Tests run side by side: OpenMP's threads that spin would take the cores from each other. What measures speed runs alone.
  set(environment OMP_WAIT_POLICY=passive)
  if(ARG_LABELS MATCHES "bench|peer")
    set(environment "")
  endif()
  if(ARG_COMPILES_KERNELS OR ARG_TOGETHER)  # these take longest, so they start first
    add_test(NAME ${kind}/${name} COMMAND ${name})
    set_tests_properties(${kind}/${name} PROPERTIES TIMEOUT 900 COST 1000 LABELS "${kind};${ARG_LABELS}" ENVIRONMENT "${environment}")
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${kind}/" DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${environment}")
  # gtest_discover_tests takes every label after the first for the name of a property, so the labels are set by a file of
  # their own, which ctest reads after the discovered tests.
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake
       CONTENT "if(${name}_TESTS)
  set_tests_properties(\${${name}_TESTS} PROPERTIES LABELS \"${kind};${ARG_LABELS}\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
endfunction()
