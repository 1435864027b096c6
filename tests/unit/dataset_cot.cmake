kg_test(dataset_cot_unit_test SOURCES dataset_cot_test.cpp dataset_import_test.cpp LINK kg_cot)
kg_test(dataset_audit_test SOURCES dataset_audit_test.cpp dataset_duplicates_test.cpp LINK kg_cot)
