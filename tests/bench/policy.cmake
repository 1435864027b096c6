if(KG_WITH_TORCH)
  # Answers under the grammar of the DSL, and its cost: grammar_bench --answers 10000 --grammar dsl
  add_executable(grammar_bench ${CMAKE_CURRENT_LIST_DIR}/grammar_bench.cpp)
  target_link_libraries(grammar_bench PRIVATE kg_policy kg_grammar kg_store)
  # The cost of its masks in training.
  add_executable(grammar_training_bench ${CMAKE_CURRENT_LIST_DIR}/grammar_training_bench.cpp)
  target_link_libraries(grammar_training_bench PRIVATE kg_trainer kg_grammar)
  # The steps of sft, for loss_curves.py.
  add_executable(sft_batches ${CMAKE_CURRENT_LIST_DIR}/sft_batches.cpp)
  target_link_libraries(sft_batches PRIVATE kg_trainer)
  add_executable(policy_workers_bench ${CMAKE_CURRENT_LIST_DIR}/policy_workers_bench.cpp)
  target_link_libraries(policy_workers_bench PRIVATE kg_rollout)
  target_compile_definitions(policy_workers_bench PRIVATE KG_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_dependencies(policy_workers_bench kgtrain-generator)
endif()
