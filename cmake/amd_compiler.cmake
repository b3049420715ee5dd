# Which compiler makes the AMD code objects, and for which chips: TUNEHUB_AMD_COMPILER and
# TUNEHUB_AMD_ARCHS; empty where there is none, and the build goes on without. amd_others: the other
# compilers that are here, with which the tests compile the kernels too.
#
# In this order: a ROCm installation's, then what Debian has. hipcc is Debian's clang 15 by another name.
set(amd_compilers amdclang++ clang++-22 clang++-19 hipcc)
set(amd_all_archs gfx90a gfx942 gfx950)
set(TUNEHUB_AMD_FLAGS -x hip --offload-device-only --no-gpu-bundle-output -nogpuinc -nogpulib
                      -std=c++20 -O3 -Wall -Wextra -Werror -Wno-pass-failed
                      -Wno-unused-command-line-argument -I${CMAKE_SOURCE_DIR})

# amd_flags(compiler flags): hipcc's linker, of LLVM 15, knows no code object of version 5.
function(amd_flags compiler flags)
  set(version 5)
  if(compiler MATCHES "hipcc$")
    set(version 4)
  endif()
  set(${flags} ${TUNEHUB_AMD_FLAGS} -mcode-object-version=${version} PARENT_SCOPE)
endfunction()

# A program links for a chip, or does not: a compiler that is too old for it, or without its lld.
function(amd_compiles compiler arch result)
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/amd_probe.hip)
  file(WRITE ${probe} "extern \"C\" __attribute__((global)) void probe(int* out) { *out = 1; }\n")
  amd_flags(${compiler} flags)
  execute_process(COMMAND ${compiler} ${flags} --offload-arch=${arch} -c ${probe}
                          -o ${CMAKE_BINARY_DIR}/CMakeFiles/amd_probe.hsaco
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# amd_archs(compiler built): those of amd_all_archs that it compiles for.
function(amd_archs compiler built)
  set(archs)
  foreach(arch ${amd_all_archs})
    amd_compiles(${compiler} ${arch} works)
    if(works)
      list(APPEND archs ${arch})
    endif()
  endforeach()
  set(${built} ${archs} PARENT_SCOPE)
endfunction()

foreach(name ${amd_compilers})
  find_program(amd_found_${name} ${name} HINTS $ENV{ROCM_PATH}/bin /opt/rocm/bin)
  mark_as_advanced(amd_found_${name})
endforeach()
if(NOT DEFINED CACHE{TUNEHUB_AMD_COMPILER})
  set(chosen "")
  set(chosen_archs "")
  foreach(name ${amd_compilers})
    if(amd_found_${name} AND NOT chosen)
      amd_archs(${amd_found_${name}} archs)
      if(archs)
        set(chosen ${amd_found_${name}})
        set(chosen_archs "${archs}")
      endif()
    endif()
  endforeach()
  set(TUNEHUB_AMD_COMPILER "${chosen}" CACHE FILEPATH "What compiles kernels/amd; empty: they are left out")
  set(TUNEHUB_AMD_ARCHS "${chosen_archs}" CACHE STRING "The chips that it compiles for")
elseif(NOT DEFINED CACHE{TUNEHUB_AMD_ARCHS})
  set(archs "")
  if(TUNEHUB_AMD_COMPILER)
    amd_archs("${TUNEHUB_AMD_COMPILER}" archs)
  endif()
  set(TUNEHUB_AMD_ARCHS "${archs}" CACHE STRING "The chips that it compiles for")
endif()

if(TUNEHUB_AMD_ARCHS)
  set(left_out ${amd_all_archs})
  list(REMOVE_ITEM left_out ${TUNEHUB_AMD_ARCHS})
  message(STATUS "AMD kernels: ${TUNEHUB_AMD_COMPILER} for ${TUNEHUB_AMD_ARCHS}")
  if(left_out)
    message(STATUS "AMD kernels: left out, because this compiler does not know it: ${left_out}")
  endif()
else()
  message(STATUS "AMD kernels: left out; none of ${amd_compilers} compiles them")
endif()

set(amd_others "")
foreach(name ${amd_compilers})
  if(amd_found_${name} AND NOT amd_found_${name} STREQUAL TUNEHUB_AMD_COMPILER)
    list(APPEND amd_others ${amd_found_${name}})
  endif()
endforeach()
