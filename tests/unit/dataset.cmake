kg_test(dataset_unit_test
  SOURCES dataset_answer_test.cpp dataset_column_test.cpp dataset_folder_test.cpp dataset_journal_test.cpp dataset_keys_test.cpp dataset_schema_test.cpp
  LINK kg_store)
