kg_test(grammar_test SOURCES grammar_task_test.cpp grammar_test.cpp LINK kg_grammar)
