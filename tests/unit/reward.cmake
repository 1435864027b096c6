kg_test(reward_test SEPARATE
  SOURCES reward_check_width_test.cpp reward_judge_test.cpp reward_judge_version_test.cpp reward_own_cases_test.cpp reward_published_check_test.cpp reward_second_look_test.cpp
  LINK kg_reward)
