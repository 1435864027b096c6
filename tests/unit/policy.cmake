if(KG_WITH_TORCH)
  kg_test(policy_test SOURCES policy_chat_template_test.cpp policy_device_test.cpp policy_families_test.cpp policy_layers_test.cpp policy_memory_test.cpp policy_model_test.cpp policy_safetensors_test.cpp LINK kg_policy)
  kg_test(policy_generator_test SOURCES policy_engine_test.cpp policy_kv_cache_test.cpp policy_sampler_test.cpp
    policy_utf8_test.cpp LINK kg_policy)
endif()
