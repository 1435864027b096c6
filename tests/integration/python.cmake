# The client needs nothing but Python; TRL wants KGTRAIN_PEER_PYTHON (scripts/setup.sh --with-peers), verl and verifiers want
# KGTRAIN_TRAINERS_PYTHON (--with-trainers).
add_test(NAME integration/python_client COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/python/trainers.py $<TARGET_FILE:kgtrain> client)
set_tests_properties(integration/python_client PROPERTIES LABELS "integration;sandbox" TIMEOUT 300)
function(kg_trainer_test trainer variable)
  add_test(NAME integration/python_${trainer}
    COMMAND sh -c "test -n \"$${variable}\" || exit 77; exec \"$${variable}\" \"$@\"" sh
            ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/python/trainers.py $<TARGET_FILE:kgtrain> ${trainer})
  set_tests_properties(integration/python_${trainer} PROPERTIES LABELS "integration;peer;slow" TIMEOUT 1800 SKIP_RETURN_CODE 77)
endfunction()
kg_trainer_test(trl KGTRAIN_PEER_PYTHON)
kg_trainer_test(verl KGTRAIN_TRAINERS_PYTHON)
kg_trainer_test(verifiers KGTRAIN_TRAINERS_PYTHON)
