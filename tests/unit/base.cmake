kg_test(base_test SOURCES base_child_process_test.cpp base_file_lock_test.cpp base_hash_test.cpp base_http_url_test.cpp base_options_test.cpp base_random_test.cpp base_utf8_test.cpp LINK kg_http)
