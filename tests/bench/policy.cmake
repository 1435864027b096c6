if(KG_WITH_TORCH)
  # Run by tests/bench/policy_step.py beside its peer.
  add_executable(policy_step_bench EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/policy_step_bench.cpp)
  target_link_libraries(policy_step_bench PRIVATE kg_policy)
endif()
