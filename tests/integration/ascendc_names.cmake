# Names and forms of docs/reference/ascend-c-coverage.md that no other test looks at, and the page itself.
kg_test(ascendc_names_test COMPILES_KERNELS
  SOURCES ascendc_names_test.cpp ascendc_plain_names_test.cpp ascendc_forms_test.cpp ascendc_form_families_test.cpp ascendc_pool_test.cpp ascendc_raw_test.cpp ascendc_twins_test.cpp
  LINK kg_sandbox
  TIMEOUT 300)
# Published types of the calls.
kg_test(ascendc_declarations_test COMPILES_KERNELS
  SOURCES ascendc_declarations_test.cpp
  LINK kg_sandbox
  TIMEOUT 300)
