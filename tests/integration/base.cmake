kg_test(base_http_client_test SOURCES base_http_client_test.cpp LINK kg_http)
