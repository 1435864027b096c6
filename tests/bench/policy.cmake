if(KG_WITH_TORCH)
  # Run by tests/bench/policy_step.py beside its peer.
  add_executable(policy_step_bench EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/policy_step_bench.cpp)
  target_link_libraries(policy_step_bench PRIVATE kg_policy)
  # By itself, or beside transformers with $KGTRAIN_PEER_PYTHON.
  add_executable(policy_generate_bench EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/policy_generate_bench.cpp)
  target_link_libraries(policy_generate_bench PRIVATE kg_policy)
  target_compile_definitions(policy_generate_bench PRIVATE KG_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endif()
if(KG_WITH_TORCH)
  add_executable(trainer_grpo_bench EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/trainer_grpo_bench.cpp)
  target_link_libraries(trainer_grpo_bench PRIVATE kg_trainer)
endif()
