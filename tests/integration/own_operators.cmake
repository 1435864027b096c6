# Want a Python with PyTorch and h5py in KGTRAIN_PEER_PYTHON.
foreach(what modules defective norms)
  add_test(NAME own_operators_${what}
    COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
            ${CMAKE_CURRENT_LIST_DIR}/own_operators/check.py $<TARGET_FILE:kgtrain> ${what})
  set_tests_properties(own_operators_${what} PROPERTIES LABELS "slow;peer" TIMEOUT 1200 SKIP_RETURN_CODE 77)
endforeach()
