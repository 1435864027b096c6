kg_test(ascendc_host_test SOURCES ascendc_host_test.cpp LINK kg_npu)
target_include_directories(ascendc_host_test PRIVATE ${CMAKE_SOURCE_DIR}/npu/headers/host)
