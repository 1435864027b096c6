# docs/reference/algorithms.md from the table of algorithms.
add_executable(algorithms_page ${CMAKE_CURRENT_LIST_DIR}/algorithms_page_main.cpp)
target_link_libraries(algorithms_page PRIVATE kg_trainer_options)
add_custom_target(algorithms_page_update COMMAND algorithms_page ${CMAKE_SOURCE_DIR})
add_test(NAME algorithms_page_is_up_to_date COMMAND algorithms_page ${CMAKE_SOURCE_DIR} --check)
