kg_test(dsl_test SOURCES dsl_beginning_test.cpp dsl_bind_test.cpp dsl_check_test.cpp dsl_cube_test.cpp
  dsl_interpreter_test.cpp dsl_passes_test.cpp dsl_resolve_test.cpp dsl_rows_test.cpp LINK kg_dsl)
