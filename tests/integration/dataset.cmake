kg_test(dataset_store_test SOURCES dataset_store_test.cpp LINK kg_dataset)
