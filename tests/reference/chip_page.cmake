# The documentation's figures of the chip, printed from npu/chip.h.
set(reference ${CMAKE_CURRENT_LIST_DIR})
add_executable(chip_page ${reference}/chip_page_main.cpp ${reference}/chip_page.cpp)
target_link_libraries(chip_page PRIVATE kg_base)
add_custom_target(chip_page_update COMMAND chip_page ${CMAKE_SOURCE_DIR})
add_test(NAME chip_page_is_up_to_date COMMAND chip_page ${CMAKE_SOURCE_DIR} --check)
