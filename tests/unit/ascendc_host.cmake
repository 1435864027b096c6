kg_test(ascendc_host_test SOURCES ascendc_host_test.cpp LINK kg_ascendc)
target_include_directories(ascendc_host_test PRIVATE ${CMAKE_SOURCE_DIR}/sandbox/ascendc/include/host)
