kg_test(rollout_coordinator_test SOURCES rollout_coordinator_test.cpp LINK kg_rollout)

# Stand-ins that the fleet test starts as its generator and workers.
add_executable(rollout_fake_generator ${CMAKE_CURRENT_LIST_DIR}/rollout_fake_generator.cpp)
target_link_libraries(rollout_fake_generator PRIVATE kg_rollout)
add_executable(rollout_test_worker ${CMAKE_CURRENT_LIST_DIR}/rollout_test_worker.cpp)
target_link_libraries(rollout_test_worker PRIVATE kg_rollout)
kg_test(rollout_fleet_test SOURCES rollout_fleet_test.cpp LINK kg_rollout)
add_dependencies(rollout_fleet_test rollout_fake_generator rollout_test_worker)
