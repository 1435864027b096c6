# docs/reference/ from the program's own tables.
set(reference ${CMAKE_CURRENT_LIST_DIR})
add_executable(reference_pages ${reference}/reference_main.cpp)
target_link_libraries(reference_pages PRIVATE kg_proto)
add_custom_target(reference_pages_update COMMAND reference_pages ${CMAKE_SOURCE_DIR})
add_test(NAME reference_pages_are_up_to_date COMMAND reference_pages ${CMAKE_SOURCE_DIR} --check)
