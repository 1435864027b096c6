add_test(NAME unit/Layers.FoldersKeepTheArrows COMMAND python3 ${CMAKE_SOURCE_DIR}/scripts/check_layers.py)
add_test(NAME unit/Docs.HeadingsLinksWidthAndWording COMMAND python3 ${CMAKE_SOURCE_DIR}/scripts/check_docs.py)
set_tests_properties(unit/Layers.FoldersKeepTheArrows PROPERTIES LABELS unit)
add_test(NAME unit/Layers.PlantedIncludeIsFound
  COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/layers_test.py ${CMAKE_SOURCE_DIR})
set_tests_properties(unit/Layers.PlantedIncludeIsFound PROPERTIES LABELS unit)
add_test(NAME unit/Shape.FunctionsAndClassesAreSmall COMMAND python3 ${CMAKE_SOURCE_DIR}/scripts/check_shape.py)
set_tests_properties(unit/Shape.FunctionsAndClassesAreSmall PROPERTIES LABELS unit)
