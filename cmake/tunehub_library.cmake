# tunehub_library(name [IN_SHARED] [ROOMS folder...] DEPENDS lib...): makes a static library of every .cpp in the
# current folder except main.cpp, and in the named folders (rooms). The include-direction test checks which room may
# include which. IN_SHARED: a shared library links this library, too. Its symbols are then hidden, because calls of a
# visible function go through a table and are never inlined.
function(tunehub_library name)
  cmake_parse_arguments(ARG "IN_SHARED" "" "ROOMS;DEPENDS" ${ARGN})
  list(TRANSFORM ARG_ROOMS APPEND /*.cpp)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp ${ARG_ROOMS})
  list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(ARG_IN_SHARED)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  endif()
endfunction()
