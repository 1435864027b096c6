# The run-time checks of the emulated NPU.
kg_test(ascendc_checks_test
  SOURCES ascendc_kernel.cpp ascendc_bodies.cpp ascendc_right_bodies.cpp ascendc_wrong_bodies.cpp ascendc_checks_test.cpp
          ascendc_random_test.cpp ascendc_mutations.cpp ascendc_mutants_test.cpp
  LINK "$<LINK_LIBRARY:WHOLE_ARCHIVE,kg_ascendc>")
set_target_properties(ascendc_checks_test PROPERTIES ENABLE_EXPORTS ON)
