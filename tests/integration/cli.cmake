# docs/reference/cli.md is what the program says of itself.
set(page ${CMAKE_SOURCE_DIR}/docs/reference/cli.md)
add_custom_target(cli_reference_update COMMAND kgtrain --reference > ${page} VERBATIM)
add_test(NAME cli_reference_is_up_to_date COMMAND sh -c "\"$<TARGET_FILE:kgtrain>\" --reference | diff -u '${page}' -")

kg_test(cli_everyday_test
  SOURCES cli_everyday_test.cpp ../security/hacks/hack_tasks.cpp
  LINK kg_store kg_reward LABELS sandbox TIMEOUT 120)
add_dependencies(cli_everyday_test kgtrain kgtrain-learner kgtrain-sandbox)
