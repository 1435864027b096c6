kg_test(ascendc_test
  SOURCES ascendc_kernel.cpp ascendc_add_custom_test.cpp ascendc_numbers_test.cpp ascendc_faults_test.cpp ascendc_compile_test.cpp ascendc_cube_test.cpp ascendc_cube_mixed_test.cpp ascendc_cube_speed_test.cpp ascendc_time_test.cpp ascendc_published_time_test.cpp
  LINK "$<LINK_LIBRARY:WHOLE_ARCHIVE,kg_ascendc>")
set_target_properties(ascendc_test PROPERTIES ENABLE_EXPORTS ON)
