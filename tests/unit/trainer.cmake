if(KG_WITH_TORCH)
  kg_test(trainer_reference_test TOGETHER SOURCES trainer_objective_test.cpp trainer_reference_test.cpp LINK kg_trainer)
  kg_test(trainer_pieces_test TOGETHER
    SOURCES evaluation_tables_test.cpp trainer_curriculum_order_test.cpp trainer_collapse_test.cpp trainer_curriculum_test.cpp trainer_event_file_test.cpp trainer_packing_test.cpp trainer_preference_pairs_test.cpp trainer_run_identity_test.cpp trainer_run_lease_test.cpp trainer_run_request_test.cpp
      trainer_sft_data_test.cpp trainer_task_works_test.cpp trainer_trainable_test.cpp trainer_turns_test.cpp
    LINK kg_trainer)
  # On an NVIDIA card; skipped without one.
  kg_test(device_test TOGETHER SOURCES policy_cuda_test.cpp LINK kg_trainer)
endif()
