find_package(Eigen3 REQUIRED NO_MODULE)
kg_test(ascendc_unit_test
  SOURCES ascendc_cast_test.cpp ascendc_elementwise_test.cpp ascendc_pipes_test.cpp
  LINK kg_npu Eigen3::Eigen)
