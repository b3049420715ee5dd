# carried_library(name PACKAGE SHARED lib... ARCHIVES file...): the target `name`. A program with the property
# CARRIES_LIBRARIES contains the library (its archives, from that Debian package); other programs take it from the
# system (shared). A program can be copied to a host without the libraries that it carries.
function(carried_library name package)
  cmake_parse_arguments(ARG "" "" "SHARED;ARCHIVES" ${ARGN})
  set(archives "")
  foreach(file ${ARG_ARCHIVES})
    find_library(carried_${file} ${file})
    mark_as_advanced(carried_${file})
    if(NOT carried_${file})
      message(FATAL_ERROR "${file} is not here: deploy/install-packages build (${package})")
    endif()
    list(APPEND archives ${carried_${file}})
  endforeach()
  add_library(${name} INTERFACE)
  set(carried "$<BOOL:$<TARGET_PROPERTY:CARRIES_LIBRARIES>>")
  target_link_libraries(${name} INTERFACE "$<${carried}:${archives}>" "$<$<NOT:${carried}>:${ARG_SHARED}>")
endfunction()
