# tunehub_library(name [IN_SHARED] DEPENDS lib...): a static library of every .cpp in the current folder.
# One folder, one library: the include-direction test and the linker then agree on the layers.
# IN_SHARED: it is linked into a shared library too. Hidden, because a function that another library
# might replace is called through a table and never inlined.
function(tunehub_library name)
  cmake_parse_arguments(ARG "IN_SHARED" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(ARG_IN_SHARED)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  endif()
endfunction()
