kg_test(sandbox_unit_test SOURCES sandbox_verdict_test.cpp LINK kg_sandbox LABELS sandbox)
