if(KG_WITH_TORCH)
  kg_test(trainer_resume_test SOURCES trainer_resume_test.cpp LINK kg_trainer TIMEOUT 300)
  add_dependencies(trainer_resume_test kgtrain-learner)
endif()
