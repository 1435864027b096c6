# Other people's kernels, where KG_CONFORMANCE_FOLDER names a folder with checkouts of their repositories.
if(DEFINED ENV{KG_CONFORMANCE_FOLDER})
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  add_test(NAME conformance/kernels
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/conformance.py $ENV{KG_CONFORMANCE_FOLDER}
                   --program $<TARGET_FILE:kgtrain-sandbox>)
  set_tests_properties(conformance/kernels PROPERTIES LABELS conformance TIMEOUT 3600)
endif()
