# The run-time checks of the emulated NPU.
set(bodies ascendc_bodies.cpp ascendc_kernel_files.cpp)
set(mutants ascendc_mutations.cpp ascendc_mutants.cpp ascendc_equivalent_mutants.cpp ascendc_mutants_test.cpp)
kg_test(ascendc_checks_test SEPARATE COMPILES_KERNELS
  SOURCES ${bodies} ${mutants} ascendc_checks_test.cpp ascendc_random_test.cpp
  LINK kg_sandbox)
# Every mutant of every correct kernel.
kg_test(ascendc_all_mutants_test COMPILES_KERNELS
  SOURCES ${bodies} ${mutants}
  LINK kg_sandbox LABELS slow TIMEOUT 3600)
target_compile_definitions(ascendc_all_mutants_test PRIVATE KG_ALL_MUTANTS)
# Mutated object files against the scalar unit; many more, with sanitizers: tests/fuzz/README.md.
kg_test(object_mutants_test COMPILES_KERNELS SOURCES ${bodies} ../fuzz/object_mutants.cpp LINK kg_sandbox_checks)
kg_test(hostile_calls_test COMPILES_KERNELS SOURCES ../fuzz/hostile_calls.cpp LINK kg_sandbox_checks)
# The scalar unit's interpreter against another machine of its instructions.
kg_test(scalar_qemu_peer_test SOURCES scalar_programs.cpp scalar_qemu_peer_test.cpp LINK kg_npu LABELS peer TIMEOUT 600)
# Times of whole kernels against those of the chip.
set(times published_times.cpp published_products.cpp published_row_kernels.cpp published_vector_kernels.cpp published_scalar_loops.cpp
  published_times_page.cpp)
kg_test(ascendc_end_to_end_time_test COMPILES_KERNELS SOURCES ${times} ascendc_end_to_end_time_test.cpp LINK kg_sandbox LABELS slow TIMEOUT 900)
add_custom_target(times_page_update
  COMMAND ${CMAKE_COMMAND} -E env KG_WRITE_TIMES=1 $<TARGET_FILE:ascendc_end_to_end_time_test>)
