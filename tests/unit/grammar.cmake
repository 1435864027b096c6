kg_test(grammar_test SOURCES grammar_test.cpp LINK kg_grammar)
