kg_test(multikernelbench_import_test SOURCES multikernelbench_import_test.cpp LINK kg_benchmarks LABELS peer TIMEOUT 900)
add_dependencies(multikernelbench_import_test kgtrain kgtrain-sandbox)

# Wants a checkout in KGTRAIN_MULTIKERNELBENCH and a Python with PyTorch in KGTRAIN_PEER_PYTHON.
add_test(NAME multikernelbench_reference
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/multikernelbench/compare_golden.sh $<TARGET_FILE:kgtrain>)
set_tests_properties(multikernelbench_reference PROPERTIES LABELS "slow;peer" TIMEOUT 5400 SKIP_RETURN_CODE 77)
