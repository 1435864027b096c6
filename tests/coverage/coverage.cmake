# docs/reference/ascend-c-coverage.md from the headers and the tests.
set(coverage ${CMAKE_CURRENT_LIST_DIR})
add_executable(ascendc_coverage
  ${coverage}/coverage_main.cpp ${coverage}/page.cpp ${coverage}/table.cpp ${coverage}/test_cases.cpp)
target_link_libraries(ascendc_coverage PRIVATE kg_sandbox)
add_custom_target(ascendc_coverage_update COMMAND ascendc_coverage ${CMAKE_SOURCE_DIR})
add_test(NAME ascendc_coverage_is_up_to_date COMMAND ascendc_coverage ${CMAKE_SOURCE_DIR} --check)
