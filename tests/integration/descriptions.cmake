# Formulas of descriptions, read from their text alone. Wants a Python with PyTorch and h5py in KGTRAIN_PEER_PYTHON.
add_test(NAME descriptions_read
  COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
          ${CMAKE_CURRENT_LIST_DIR}/descriptions/check.py $<TARGET_FILE:kgtrain>)
set_tests_properties(descriptions_read PROPERTIES LABELS "slow;peer" TIMEOUT 1200 SKIP_RETURN_CODE 77)
