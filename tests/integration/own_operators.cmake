# Want a Python with PyTorch and h5py in KGTRAIN_PEER_PYTHON.
foreach(what modules defective norms scaled translated documented)
  add_test(NAME own_operators_${what}
    COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
            ${CMAKE_CURRENT_LIST_DIR}/own_operators/check.py $<TARGET_FILE:kgtrain> ${what})
  set_tests_properties(own_operators_${what} PROPERTIES LABELS "slow;peer" TIMEOUT 1200 SKIP_RETURN_CODE 77)
endforeach()

# Prompts that list a module's operators one by one list all of them. Wants PyTorch alone.
file(GLOB modules CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/own_operators/modules/*.py ${CMAKE_SOURCE_DIR}/tests/foreign_modules/*.py)
add_test(NAME own_operators_replay
  COMMAND sh -c "test -n \"$KGTRAIN_PEER_PYTHON\" || exit 77; exec \"$KGTRAIN_PEER_PYTHON\" \"$@\"" sh
          ${CMAKE_CURRENT_LIST_DIR}/own_operators/replay.py ${modules})
set_tests_properties(own_operators_replay PROPERTIES LABELS "slow;peer" TIMEOUT 1200 SKIP_RETURN_CODE 77)
