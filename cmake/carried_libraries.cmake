# carried_library(name PACKAGE SHARED lib... ARCHIVES file...): makes the target `name`. A program with the property
# CARRIES_LIBRARIES links the static archives, which Debian's PACKAGE contains. Such a program runs on a host without
# the library. Other programs link the shared library.
function(carried_library name package)
  cmake_parse_arguments(ARG "" "" "SHARED;ARCHIVES" ${ARGN})
  set(archives "")
  foreach(file ${ARG_ARCHIVES})
    find_library(carried_${file} ${file})
    mark_as_advanced(carried_${file})
    if(NOT carried_${file})
      message(FATAL_ERROR "${file} is missing: run deploy/install-packages build (${package})")
    endif()
    list(APPEND archives ${carried_${file}})
  endforeach()
  add_library(${name} INTERFACE)
  set(carried "$<BOOL:$<TARGET_PROPERTY:CARRIES_LIBRARIES>>")
  target_link_libraries(${name} INTERFACE "$<${carried}:${archives}>" "$<$<NOT:${carried}>:${ARG_SHARED}>")
endfunction()
