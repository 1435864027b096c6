# Numbers of every call against numpy and mpmath, on tiles of elements and in whole kernels. The default suite compares
# with the committed fixtures; the label peer shows that the fixtures are what they compute.
kg_test(ascendc_numpy_test SEPARATE COMPILES_KERNELS
  SOURCES ascendc_numpy_fixture.cpp ascendc_numpy_cases.cpp ascendc_numpy_test.cpp
          ascendc_numpy_programs_test.cpp
  LINK kg_sandbox)
kg_test(ascendc_numpy_peer_test SOURCES ascendc_numpy_peer_test.cpp LABELS peer TIMEOUT 1200)
