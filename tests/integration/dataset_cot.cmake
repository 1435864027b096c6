if(TARGET kgtrain-sandbox)
  kg_test(dataset_cot_test SOURCES dataset_cot_test.cpp dataset_cot_build_test.cpp LINK kg_cot TIMEOUT 600)
  add_dependencies(dataset_cot_test kgtrain-sandbox)
endif()
