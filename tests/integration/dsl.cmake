# Programs in the DSL, lowered, compiled and run by the sandbox.
kg_test(dsl_multikernelbench_test
  SOURCES dsl_multikernelbench.cpp dsl_multikernelbench_test.cpp
  LINK kg_reward kg_sandbox LABELS dsl TIMEOUT 600)
add_dependencies(dsl_multikernelbench_test kgtrain-sandbox)
kg_test(dsl_random_test SOURCES dsl_random_programs.cpp dsl_random_test.cpp LINK kg_reward kg_sandbox LABELS dsl TIMEOUT 600)
add_dependencies(dsl_random_test kgtrain-sandbox)
kg_test(dsl_random_process_test SOURCES dsl_random_programs.cpp dsl_random_process_test.cpp LINK kg_reward kg_sandbox LABELS "dsl;slow" TIMEOUT 1800)
kg_test(dsl_sandbox_test SOURCES dsl_quality_kernels.cpp dsl_gemm_test.cpp dsl_mhc_test.cpp dsl_sandbox_test.cpp dsl_quality_test.cpp LINK kg_cot kg_reward kg_sandbox LABELS dsl TIMEOUT 600)
add_dependencies(dsl_sandbox_test kgtrain-sandbox)
