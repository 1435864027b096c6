kg_test(ascendc_test
  SOURCES ascendc_kernel.cpp ascendc_add_custom_test.cpp ascendc_numbers_test.cpp ascendc_faults_test.cpp ascendc_compile_test.cpp ascendc_language_test.cpp ascendc_scalar_numbers_test.cpp ascendc_pointers_test.cpp ascendc_cube_test.cpp ascendc_cube_mixed_test.cpp ascendc_cube_speed_test.cpp ascendc_time_test.cpp ascendc_published_time_test.cpp
  LINK "$<LINK_LIBRARY:WHOLE_ARCHIVE,kg_npu>")
kg_test(ascendc_strict_test
  SOURCES ascendc_kernel.cpp ascendc_strict_calls.cpp ascendc_strict_statements.cpp ascendc_strict_test.cpp
  LINK kg_sandbox "$<LINK_LIBRARY:WHOLE_ARCHIVE,kg_npu>")
set_target_properties(ascendc_test PROPERTIES ENABLE_EXPORTS ON)
set_target_properties(ascendc_strict_test PROPERTIES LINK_LIBRARY_OVERRIDE_kg_npu WHOLE_ARCHIVE)
