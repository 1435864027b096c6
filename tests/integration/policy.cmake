if(KG_WITH_TORCH)
  kg_test(policy_smollm2_test SOURCES policy_smollm2_test.cpp LINK kg_policy)
  kg_test(policy_peer_test SOURCES policy_peer_test.cpp LINK kg_policy LABELS peer TIMEOUT 600)
endif()
