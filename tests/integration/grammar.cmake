if(KG_WITH_TORCH)
  kg_test(grammar_tokens_test SOURCES grammar_tokens_test.cpp LINK kg_grammar kg_policy)
endif()
