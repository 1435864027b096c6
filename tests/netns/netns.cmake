# Four hosts as network namespaces, with delay, loss and a cut (root); some minutes.
if(KG_WITH_TORCH)
  add_test(NAME netns/four_hosts
    COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/netns_test.py --bin $<TARGET_FILE_DIR:kgtrain>)
  set_tests_properties(netns/four_hosts PROPERTIES LABELS netns TIMEOUT 1800 SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endif()
