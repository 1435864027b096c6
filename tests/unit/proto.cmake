kg_test(proto_test
  SOURCES proto_fault_class_test.cpp proto_frame_test.cpp proto_json_frame_test.cpp
  LINK kg_proto)
