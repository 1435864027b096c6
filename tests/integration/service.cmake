kg_test(service_serve_test
  SOURCES service_serve_test.cpp ../security/hacks/hack_tasks.cpp
  LINK kg_http kg_cot kg_reward LABELS sandbox TIMEOUT 300)
add_dependencies(service_serve_test kgtrain kgtrain-sandbox)
