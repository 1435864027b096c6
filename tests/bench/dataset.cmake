add_executable(dataset_start_bench ${CMAKE_CURRENT_LIST_DIR}/dataset_start_bench.cpp)
target_link_libraries(dataset_start_bench PRIVATE kg_rollout)
add_executable(line_baseline ${CMAKE_CURRENT_LIST_DIR}/line_baseline.cpp)
target_link_libraries(line_baseline PRIVATE kg_cot)
