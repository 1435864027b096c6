if(KG_WITH_TORCH)
  kg_test(policy_decode_test SOURCES policy_decode_test.cpp LINK kg_policy)
  kg_test(policy_training_test SOURCES policy_training_test.cpp LINK kg_policy)
endif()
