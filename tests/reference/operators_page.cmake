# docs/reference/operators.md from the operator table.
add_executable(operators_page ${CMAKE_CURRENT_LIST_DIR}/operators_page_main.cpp)
target_link_libraries(operators_page PRIVATE kg_dsl kg_operators kg_base)
add_custom_target(operators_page_update COMMAND operators_page ${CMAKE_SOURCE_DIR})
add_test(NAME operators_page_is_up_to_date COMMAND operators_page ${CMAKE_SOURCE_DIR} --check)
