kg_test(ascendc_patterns_test SOURCES ascendc_patterns_test.cpp LINK kg_npu)
