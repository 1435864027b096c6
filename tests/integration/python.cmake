# The client needs nothing but Python. The others want KGTRAIN_PEER_PYTHON, with TRL (scripts/setup.sh --with-peers), verl, verifiers.
add_test(NAME integration/python_client COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/python/trainers.py $<TARGET_FILE:kgtrain> client)
set_tests_properties(integration/python_client PROPERTIES LABELS "integration;sandbox" TIMEOUT 300)
foreach(trainer trl verl verifiers)
  add_test(NAME integration/python_${trainer}
    COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
            ${CMAKE_CURRENT_LIST_DIR}/python/trainers.py $<TARGET_FILE:kgtrain> ${trainer})
  set_tests_properties(integration/python_${trainer} PROPERTIES LABELS "integration;peer;slow" TIMEOUT 1800 SKIP_RETURN_CODE 77)
endforeach()
