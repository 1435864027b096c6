add_test(NAME unit/Layers.FoldersKeepTheArrows COMMAND python3 ${CMAKE_SOURCE_DIR}/scripts/check_layers.py)
set_tests_properties(unit/Layers.FoldersKeepTheArrows PROPERTIES LABELS unit)
