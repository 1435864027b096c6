add_executable(rollout_coordinator_bench ${CMAKE_CURRENT_LIST_DIR}/rollout_coordinator_bench.cpp ${CMAKE_CURRENT_LIST_DIR}/simulated_workers.cpp)
# With the allocator that the learner has.
target_link_libraries(rollout_coordinator_bench PRIVATE kg_rollout jemalloc)
add_executable(rollout_weights_bench ${CMAKE_CURRENT_LIST_DIR}/rollout_weights_bench.cpp)
target_link_libraries(rollout_weights_bench PRIVATE kg_rollout jemalloc)
