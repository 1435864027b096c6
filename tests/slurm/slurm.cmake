# A real Slurm of this host (scripts/setup.sh --with-slurm); about ten minutes, most of which Slurm waits before it starts a requeued job.
if(KG_WITH_TORCH)
  add_test(NAME slurm/submit
    COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/slurm_test.py --bin $<TARGET_FILE_DIR:kgtrain>)
  set_tests_properties(slurm/submit PROPERTIES LABELS slurm TIMEOUT 2400 SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endif()
