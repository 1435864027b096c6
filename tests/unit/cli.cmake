kg_test(cli_report_test SOURCES cli_report_test.cpp LINK kg_cli)
kg_test(cli_submit_test SOURCES cli_submit_test.cpp LINK kg_cli)
kg_test(cli_solve_test SOURCES cli_solve_test.cpp LINK kg_cli)
