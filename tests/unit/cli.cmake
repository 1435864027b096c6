kg_test(cli_report_test
  SOURCES cli_report_test.cpp ../../cli/report_chart.cpp ../../cli/report_metrics.cpp ../../cli/report_page.cpp
    ../../cli/report_rollouts.cpp ../../cli/report_sections.cpp ../../cli/run_folder.cpp
  LINK kg_dataset)
