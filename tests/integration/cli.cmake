# docs/reference/cli.md is what the program says of itself.
set(page ${CMAKE_SOURCE_DIR}/docs/reference/cli.md)
add_custom_target(cli_reference_update COMMAND kgtrain --reference > ${page} VERBATIM)
add_test(NAME cli_reference_is_up_to_date COMMAND sh -c "\"$<TARGET_FILE:kgtrain>\" --reference | diff -u '${page}' -")

if(KG_WITH_TORCH)
  kg_test(cli_everyday_test
    SOURCES cli_everyday_test.cpp ../security/hacks/hack_tasks.cpp
    LINK kg_store kg_reward LABELS sandbox TIMEOUT 120)
  add_dependencies(cli_everyday_test kgtrain kgtrain-learner kgtrain-sandbox)

  kg_test(cli_bench_test SOURCES cli_bench_test.cpp LINK kg_base LABELS process TIMEOUT 120)
  add_dependencies(cli_bench_test kgtrain kgtrain-learner)

  kg_test(cli_wrong_input_test
    SOURCES cli_wrong_input_test.cpp ../security/hacks/hack_tasks.cpp
    LINK kg_store kg_reward LABELS sandbox TIMEOUT 300)
  add_dependencies(cli_wrong_input_test kgtrain kgtrain-learner kgtrain-sandbox)

  # The presets without LibTorch name no target that only it brings.
  add_test(NAME integration/presets_without_libtorch_configure
           COMMAND ${CMAKE_COMMAND} --preset sandbox -B ${CMAKE_BINARY_DIR}/without_libtorch
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(integration/presets_without_libtorch_configure PROPERTIES LABELS integration TIMEOUT 120)
endif()

add_test(NAME integration/install_runs_without_the_checkout
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/install_test.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
set_tests_properties(integration/install_runs_without_the_checkout PROPERTIES LABELS "integration;slow" TIMEOUT 600 SKIP_RETURN_CODE 77)
