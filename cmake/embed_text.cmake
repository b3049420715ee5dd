# embed_text(target FILE header namespace constant): puts a file into the program. It makes the header, which has the
# file's text as a string_view.
function(embed_text target file header namespace constant)
  file(READ ${file} body)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${header} @ONLY CONTENT
"// Made from ${file}.
#pragma once
#include <string_view>
namespace ${namespace} {
inline constexpr char ${constant}Bytes[] = R\"embedded(${body})embedded\";
// The compiler counts the characters of a literal one by one, and refuses to count more than 262,144.
inline constexpr std::string_view ${constant}{${constant}Bytes, sizeof(${constant}Bytes) - 1};
}
")
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()

# embed_folder(target FOLDER/*.json header namespace constant): makes the header with the name and text of every
# matching file, sorted by name.
function(embed_folder target pattern header namespace constant)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  set(rows "")
  foreach(file ${files})
    file(READ ${file} body)
    get_filename_component(name ${file} NAME)
    string(APPEND rows "    {\"${name}\", R\"embedded(${body})embedded\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${header} @ONLY CONTENT
"// Made from ${pattern}.
#pragma once
#include <string_view>
#include <utility>
namespace ${namespace} {
inline constexpr std::pair<std::string_view, std::string_view> ${constant}[] = {
${rows}};
}
")
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
