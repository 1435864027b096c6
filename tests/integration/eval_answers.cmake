kg_test(eval_answers_test
  SOURCES eval_answers_test.cpp ../security/hacks/hack_tasks.cpp
  LINK kg_cot kg_reward LABELS sandbox TIMEOUT 300)
add_dependencies(eval_answers_test kgtrain kgtrain-sandbox)
