kg_test(rollout_test SOURCES rollout_lease_table_test.cpp LINK kg_rollout)
