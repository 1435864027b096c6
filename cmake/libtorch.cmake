# LibTorch as unpacked by scripts/setup.sh from the pinned wheel. The wheel's own TorchConfig.cmake demands a CUDA toolkit, so
# the target is our own. libtorch_cpu.so names CUDA run-time libraries that it does not need on a CPU; they are in the same
# folder, and the linker is told not to look further.
set(KG_LIBTORCH_DIR "${CMAKE_SOURCE_DIR}/third_party/libtorch" CACHE PATH "folder with include/ and lib/ of LibTorch 2.11.0")
if(NOT EXISTS ${KG_LIBTORCH_DIR}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No LibTorch in ${KG_LIBTORCH_DIR}: run scripts/setup.sh, or configure with -DKG_WITH_TORCH=OFF")
endif()
add_library(kg_libtorch INTERFACE)
target_include_directories(kg_libtorch SYSTEM INTERFACE
  ${KG_LIBTORCH_DIR}/include ${KG_LIBTORCH_DIR}/include/torch/csrc/api/include)
# Headers then pull in only the operators they name.
target_compile_definitions(kg_libtorch INTERFACE AT_PER_OPERATOR_HEADERS)
target_link_directories(kg_libtorch INTERFACE ${KG_LIBTORCH_DIR}/lib)
target_link_libraries(kg_libtorch INTERFACE torch_cpu c10)
# at::parallel_for is a template that runs on one thread unless its user is compiled with OpenMP too. The library is the one beside
# LibTorch, which has the name of the compiler's own.
target_compile_options(kg_libtorch INTERFACE -fopenmp)
target_link_options(kg_libtorch INTERFACE -fopenmp -Wl,--allow-shlib-undefined)
