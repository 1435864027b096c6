# A sample of the kernels under npukernelbench/ on small shapes of our own, without a checkout of the benchmark.
kg_test(npukernelbench_kernels_test COMPILES_KERNELS
  SOURCES npukernelbench_kernels_test.cpp
  LINK kg_sandbox)

# All of them on the benchmark's own rows. Wants a checkout in KGTRAIN_NPUKERNELBENCH and a Python in KGTRAIN_PEER_PYTHON.
add_test(NAME npukernelbench_rows
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/npukernelbench/judge_rows.sh $<TARGET_FILE:kgtrain>)
set_tests_properties(npukernelbench_rows PROPERTIES LABELS "slow;peer" TIMEOUT 5400 SKIP_RETURN_CODE 77)

# What an import does with attributes that a task draws at random. Wants a Python with PyTorch in KGTRAIN_PEER_PYTHON.
add_test(NAME integration/npukernelbench_attributes
  COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
          ${CMAKE_CURRENT_LIST_DIR}/npukernelbench/attributes_test.py)
set_tests_properties(integration/npukernelbench_attributes PROPERTIES LABELS "integration;peer" TIMEOUT 120 SKIP_RETURN_CODE 77)
