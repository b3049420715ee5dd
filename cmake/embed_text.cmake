# embed_text(target FILE header namespace constant): makes the header with the file's text as a
# string_view, so that the program carries it.
function(embed_text target file header namespace constant)
  file(READ ${file} body)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${header} @ONLY CONTENT
"// Made from ${file}.
#pragma once
#include <string_view>
namespace ${namespace} {
inline constexpr std::string_view ${constant} = R\"embedded(${body})embedded\";
}
")
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
