# An installed tree (`cmake --install`) runs without the checkout: LibTorch is copied beside the programs, which find it by $ORIGIN.
# `cpack --config build/release/CPackConfig.cmake` makes a Debian package of the same tree (docs/start/install.md).
include(GNUInstallDirs)

if(KG_WITH_TORCH)
  # Only the libraries that the CPU needs. libtorch_cpu.so of the CUDA build names the last two, which need no GPU.
  set(libtorch libtorch_cpu.so libc10.so libgomp.so.1)
  foreach(optional libcudart.so.13 libcupti.so.13)
    if(EXISTS ${KG_LIBTORCH_DIR}/lib/${optional})
      list(APPEND libtorch ${optional})
    endif()
  endforeach()
  option(KG_INSTALL_CUDA "also install LibTorch's CUDA libraries (0.5 GB), for --device cuda" OFF)
  if(KG_INSTALL_CUDA)
    list(APPEND libtorch libtorch_cuda.so libtorch_cuda_linalg.so libc10_cuda.so libtorch.so libcaffe2_nvrtc.so libtorch_nvshmem.so)
  endif()
  list(TRANSFORM libtorch PREPEND ${KG_LIBTORCH_DIR}/lib/)
  install(FILES ${libtorch} DESTINATION lib/kgtrain PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
          WORLD_READ WORLD_EXECUTE)
endif()
install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md SECURITY.md packaging/copyright DESTINATION share/doc/kgtrain)
if(EXISTS ${CMAKE_SOURCE_DIR}/models)
  install(DIRECTORY models/ DESTINATION share/kgtrain/models)
endif()
install(DIRECTORY examples docs DESTINATION share/doc/kgtrain)
# The pages that those link to, at the same places beside them.
file(GLOB pages RELATIVE ${CMAKE_SOURCE_DIR} */README.md */*/README.md */*/*/README.md)
foreach(page ${pages})
  get_filename_component(folder ${page} DIRECTORY)
  if(NOT folder MATCHES "^(build|third_party|docs|examples|tests)")
    install(FILES ${page} DESTINATION share/doc/kgtrain/${folder})
  endif()
endforeach()
install(DIRECTORY python/examples DESTINATION share/doc/kgtrain/python)
install(FILES tests/fuzz/README.md DESTINATION share/doc/kgtrain/tests/fuzz)

# The bill of materials: contents and build tools, with hashes; made when the tree is installed.
install(CODE "execute_process(COMMAND python3 ${CMAKE_SOURCE_DIR}/scripts/sbom.py
  --version ${PROJECT_VERSION} --out \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc/kgtrain/sbom.cdx.json\" COMMAND_ERROR_IS_FATAL ANY)")

# Man pages and completion come from the declarations of the options, as the reference page does.
set(written ${CMAKE_CURRENT_BINARY_DIR}/written)
install(CODE "execute_process(COMMAND $<TARGET_FILE:kgtrain> completion --all ${written} COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${written}/man1 DESTINATION share/man)
install(DIRECTORY ${written}/completions DESTINATION share/bash-completion)
install(DIRECTORY ${written}/site-functions DESTINATION share/zsh)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kgtrain)
set(CPACK_PACKAGE_CONTACT "the developers of kgtrain <kgtrain@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "teaches language models to write Ascend NPU kernels from execution feedback")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # LibTorch comes stripped, and the sandbox's program exports what kernels call
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
# dpkg-shlibdeps finds the libraries. These are the programs that kgtrain starts: the jail, the compiler and linker of kernels.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${KG_LIBTORCH_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "bubblewrap, clang-14, binutils")
# Python reads the user's own operators and benchmarks.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-venv")
include(CPack)
