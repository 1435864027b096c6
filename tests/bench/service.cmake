# The whole of it: serve_load.py KGTRAIN, 10,000 requests of 64 clients. Here as much as a slow test may take.
add_test(NAME bench/serve_load COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/serve_load.py $<TARGET_FILE:kgtrain> --requests 300 --clients 16 --kill-seconds 5 --rounds 1)
set_tests_properties(bench/serve_load PROPERTIES LABELS "bench;sandbox;slow" TIMEOUT 1800)
