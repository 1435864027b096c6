kg_test(reward_test SOURCES reward_golden_test.cpp reward_judge_test.cpp reward_pass_at_k_test.cpp LINK kg_reward)
