if(KG_WITH_TORCH)
  kg_test(policy_test TOGETHER SOURCES policy_attention_test.cpp policy_chat_template_test.cpp policy_device_test.cpp policy_difference_test.cpp policy_families_test.cpp policy_layers_test.cpp policy_memory_test.cpp policy_model_test.cpp policy_safetensors_test.cpp LINK kg_policy)
  # As on a CPU that oneDNN has no product for: attention multiplies by at::mm.
  add_test(NAME unit/policy_attention_without_onednn COMMAND policy_test --gtest_filter=*Attention*)
  set_tests_properties(unit/policy_attention_without_onednn PROPERTIES LABELS unit TIMEOUT 120 ENVIRONMENT
    ONEDNN_MAX_CPU_ISA=SSE41)
  kg_test(policy_version_test SOURCES policy_version_test.cpp LINK kg_policy kg_store)
  kg_test(policy_generator_test TOGETHER SOURCES policy_engine_test.cpp policy_grammar_test.cpp policy_kv_cache_test.cpp
    policy_sampler_test.cpp
    policy_utf8_test.cpp LINK kg_policy)
endif()
