# A sample of the kernels under npukernelbench/ on small shapes of our own, without a checkout of the benchmark.
kg_test(npukernelbench_kernels_test
  SOURCES ascendc_kernel.cpp npukernelbench_kernels_test.cpp
  LINK "$<LINK_LIBRARY:WHOLE_ARCHIVE,kg_ascendc>")
set_target_properties(npukernelbench_kernels_test PROPERTIES ENABLE_EXPORTS ON)
