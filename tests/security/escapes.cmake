kg_test(sandbox_escapes_test
  SOURCES escapes/compiler_attacks.cpp escapes/escapes_test.cpp escapes/file_attacks.cpp escapes/host_watch.cpp
          escapes/hostile_project.cpp escapes/kernel_attacks.cpp escapes/process_attacks.cpp escapes/system_attacks.cpp
  LINK kg_sandbox LABELS sandbox TIMEOUT 300)
add_dependencies(sandbox_escapes_test kgtrain-sandbox)

# Started by root the tests above use root's namespaces; here the same as an ordinary user.
add_test(NAME security/sandbox_escapes_as_user
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/sandbox_as_user.sh $<TARGET_FILE:sandbox_escapes_test>)
set_tests_properties(security/sandbox_escapes_as_user PROPERTIES LABELS "security;sandbox;slow" TIMEOUT 900 SKIP_RETURN_CODE 77)
