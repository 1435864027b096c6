kg_test(dataset_store_test SOURCES dataset_store_test.cpp LINK kg_store)
kg_test(dataset_kill_test SOURCES dataset_kill_test.cpp dataset_python_test.cpp LINK kg_store TIMEOUT 300)
kg_test(dataset_damage_test SOURCES dataset_damage_test.cpp dataset_damage.cpp dataset_fuzz.cpp LINK kg_store TIMEOUT 300)
kg_test(dataset_fuzz_test SOURCES dataset_fuzz_test.cpp dataset_damage.cpp dataset_fuzz.cpp LINK kg_store LABELS slow TIMEOUT 3600)
