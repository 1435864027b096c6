if(KG_WITH_TORCH)
  kg_test(policy_test SOURCES policy_chat_template_test.cpp policy_model_test.cpp policy_safetensors_test.cpp LINK kg_policy)
endif()
