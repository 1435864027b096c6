kg_test(cli_report_test SOURCES cli_report_test.cpp LINK kg_cli)
