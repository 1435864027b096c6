kg_test(sandbox_project_test
  SOURCES sandbox_project_test.cpp sandbox_project_fault_test.cpp sandbox_project_template_test.cpp
          sandbox_direct_launch_test.cpp
  LINK kg_sandbox LABELS sandbox TIMEOUT 600)
add_dependencies(sandbox_project_test kgtrain-sandbox)
