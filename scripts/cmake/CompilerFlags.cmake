# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers and, above all, arithmetic. Strict mode promises the same bits everywhere, so contraction is off
# on the host and on the device: ISO mode alone does not switch it off, and nvcc's -fmad=false reaches device code only.

# The device flags of strict files.
set(pegrasp_strict_cuda_flags -fmad=false -Xcompiler=-ffp-contract=off)
# The loops of the batched strategy are written as lambdas for both sides.
set(pegrasp_batched_cuda_flags --extended-lambda)
# Fast files may contract. Device: -fmad=true; no -use_fast_math, whose approximate division is too coarse for contact.
set(pegrasp_fast_cuda_flags -fmad=true -Xcompiler=-ffp-contract=fast -DPEGRASP_FAST_ARITHMETIC)
# The loops of the kernels are short and of fixed length: -O3 unrolls them, -O2 (RelWithDebInfo) does not. Same bits.
set(pegrasp_kernel_cxx_flags $<$<NOT:$<CONFIG:Debug>>:-O3>)
set(pegrasp_fast_cxx_flags -ffp-contract=fast -DPEGRASP_FAST_ARITHMETIC ${pegrasp_kernel_cxx_flags})

# Flags of every target of this project. Private: projects that link the library choose their own.
function(pegrasp_compile_flags target)
  set(werror $<BOOL:${PEGRASP_WERROR}>)
  set(warnings -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual)
  target_compile_options(
    ${target}
    PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
      "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${PEGRASP_WARNINGS}>>:${warnings}>"
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:${PEGRASP_WARNINGS}>>>:-w>
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,${werror}>:-Werror>
      # Not -Wpedantic here: nvcc's generated files have line directives by the thousand that it objects to.
      "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;-Werror=cross-execution-space-call>"
      "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,${werror}>:-Werror=all-warnings>")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # No function is replaced at run time, so that position-independent code is as quick as any.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
    # GCC spends a tenth of its time collecting the memory of large files, such as the kernels, when it may not grow.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlapping copies in any "literal" + std::string (GCC bug 105651).
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  if(PEGRASP_SANITIZE)
    set(sanitize -fsanitize=${PEGRASP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${sanitize}>")
    target_link_options(${target} PRIVATE -fsanitize=${PEGRASP_SANITIZE})
  endif()
  if(PEGRASP_PREBUILT)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -s)
    if(PEGRASP_HAVE_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
      # They are copied to the machine that has the GPU.
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>")
    endif()
  endif()
endfunction()

# Files that call a library through declarations of their own: its structures agree in layout but not in name, which is
# all that clang's sanitizer for calls compares.
function(pegrasp_foreign_calls)
  if(PEGRASP_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
  endif()
endfunction()

# pegrasp_arithmetic(SOURCES...): sets the options of files with kernels in them; of others nothing changes. Contraction
# is allowed in ${pegrasp_fast_sources} alone (scripts/cmake/LaunchFiles.cmake). Properties of sources belong to a
# folder: call it where the target is made.
function(pegrasp_arithmetic)
  foreach(source IN LISTS ARGN)
    set(options)
    if(source MATCHES "\\.cu$")
      set(options ${pegrasp_strict_cuda_flags})
      if(source IN_LIST pegrasp_fast_sources)
        set(options ${pegrasp_fast_cuda_flags})
      endif()
      if(source IN_LIST pegrasp_batched_cuda_sources)
        list(APPEND options ${pegrasp_batched_cuda_flags})
      endif()
    elseif(source IN_LIST pegrasp_fast_sources)
      set(options ${pegrasp_fast_cxx_flags})
    elseif(source IN_LIST pegrasp_cpu_launch_sources)
      set(options ${pegrasp_kernel_cxx_flags})
    endif()
    if(options)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
  endforeach()
endfunction()
