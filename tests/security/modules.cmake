# Wants a Python with PyTorch in KGTRAIN_PEER_PYTHON.
add_test(NAME security/hostile_modules
  COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
          ${CMAKE_CURRENT_LIST_DIR}/modules/hostile_modules.py $<TARGET_FILE:kgtrain>)
set_tests_properties(security/hostile_modules PROPERTIES LABELS "security;sandbox;slow;peer" TIMEOUT 1800 SKIP_RETURN_CODE 77)
