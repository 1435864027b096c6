kg_test(guesses_test SOURCES guesses/guesses_test.cpp LINK kg_cot kg_benchmarks kg_reward TIMEOUT 300)
