# A sample of the kernels under npukernelbench/ on small shapes of our own, without a checkout of the benchmark.
kg_test(npukernelbench_kernels_test
  SOURCES ascendc_kernel.cpp npukernelbench_kernels_test.cpp
  LINK kg_sandbox)

# All of them on the benchmark's own rows. Wants a checkout in KGTRAIN_NPUKERNELBENCH and a Python in KGTRAIN_PEER_PYTHON.
add_test(NAME npukernelbench_rows
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/npukernelbench/judge_rows.sh $<TARGET_FILE:kgtrain>)
set_tests_properties(npukernelbench_rows PROPERTIES LABELS "slow;peer" TIMEOUT 5400 SKIP_RETURN_CODE 77)
