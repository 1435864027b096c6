if(KG_WITH_TORCH)
  kg_test(policy_decode_test SOURCES policy_decode_test.cpp LINK kg_policy)
endif()
