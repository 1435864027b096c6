# A sample of the kernels under npukernelbench/ on small shapes of our own, without a checkout of the benchmark.
kg_test(npukernelbench_kernels_test
  SOURCES ascendc_kernel.cpp npukernelbench_kernels_test.cpp
  LINK "$<LINK_LIBRARY:WHOLE_ARCHIVE,kg_ascendc>")
set_target_properties(npukernelbench_kernels_test PROPERTIES ENABLE_EXPORTS ON)

# What npukernelbench/judge_rows.py runs kernels and projects with, against a checkout of the benchmark.
add_executable(npukernelbench_execute ${CMAKE_CURRENT_LIST_DIR}/npukernelbench_execute.cpp)
target_link_libraries(npukernelbench_execute PRIVATE kg_sandbox)
