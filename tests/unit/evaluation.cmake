kg_test(evaluation_test
  SOURCES evaluation_metrics_test.cpp evaluation_pass_at_k_test.cpp evaluation_provenance_test.cpp
    evaluation_turn_gain_test.cpp
  LINK kg_evaluation)
