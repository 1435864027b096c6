# The vector core's calls beyond the elementwise ones, each against numbers computed in the test.
kg_test(ascendc_calls_test SEPARATE COMPILES_KERNELS
  SOURCES ascendc_data_test.cpp ascendc_cast_deq_test.cpp ascendc_layout_test.cpp ascendc_spm_test.cpp ascendc_group_barrier_test.cpp ascendc_narrowed_test.cpp ascendc_library_test.cpp
  LINK kg_sandbox)
