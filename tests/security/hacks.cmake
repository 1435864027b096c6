kg_test(sandbox_hacks_test
  SOURCES hacks/core_hacks.cpp hacks/device_hacks.cpp hacks/dsl_hacks.cpp hacks/hack_tasks.cpp hacks/hacks_test.cpp hacks/input_hacks.cpp hacks/number_hacks.cpp hacks/odd_kernels.cpp
          hacks/output_hacks.cpp hacks/process_hacks.cpp hacks/work_hacks.cpp escapes/hostile_project.cpp ../composed_kernels.cpp
  LINK kg_cot kg_reward kg_sandbox LABELS sandbox TIMEOUT 300)
add_dependencies(sandbox_hacks_test kgtrain-sandbox)

kg_test(sandbox_thousand_test
  SOURCES sandbox_thousand_test.cpp escapes/host_watch.cpp escapes/kernel_attacks.cpp hacks/core_hacks.cpp hacks/device_hacks.cpp hacks/hack_tasks.cpp hacks/input_hacks.cpp
          hacks/number_hacks.cpp hacks/odd_kernels.cpp hacks/output_hacks.cpp hacks/process_hacks.cpp
  LINK kg_reward kg_sandbox LABELS "sandbox;slow" TIMEOUT 1800)
add_dependencies(sandbox_thousand_test kgtrain-sandbox)
