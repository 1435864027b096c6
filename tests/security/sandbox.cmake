kg_test(sandbox_security_test SEPARATE
  SOURCES escapes/hostile_project.cpp sandbox_fault_test.cpp sandbox_isolation_test.cpp sandbox_limits_test.cpp
  LINK kg_sandbox LABELS sandbox TIMEOUT 300)
add_dependencies(sandbox_security_test kgtrain-sandbox)
