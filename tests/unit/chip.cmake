kg_test(chip_test SOURCES chip_test.cpp LINK kg_cot)
target_include_directories(chip_test PRIVATE ${CMAKE_SOURCE_DIR}/npu/headers/host)
