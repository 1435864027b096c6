add_executable(sandbox_rate ${CMAKE_CURRENT_LIST_DIR}/sandbox_rate.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../composed_kernels.cpp)
target_link_libraries(sandbox_rate PRIVATE kg_cot kg_reward kg_sandbox kg_npu)
target_compile_definitions(sandbox_rate PRIVATE KG_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KG_BINARY_DIR="${CMAKE_BINARY_DIR}")
add_dependencies(sandbox_rate kgtrain-sandbox)
