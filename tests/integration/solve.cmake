# Wants a Python with PyTorch in KGTRAIN_PEER_PYTHON.
if(KG_WITH_TORCH)
  add_test(NAME solve_with_a_scripted_server
    COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
            ${CMAKE_CURRENT_LIST_DIR}/solve/check.py $<TARGET_FILE:kgtrain> $<TARGET_FILE:write_tiny_model>)
  set_tests_properties(solve_with_a_scripted_server PROPERTIES LABELS "peer" TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
