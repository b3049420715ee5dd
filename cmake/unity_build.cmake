# unite_folders(): in every target defined so far, the sources of a folder compile as one unit. Compilers mostly read
# headers, so a folder takes little longer than one file.
#   Names in anonymous namespaces must be unique within a unit.
#   The preset `files` compiles each file alone, and so finds a missing #include that another file's #include hides.
#   CMake compiles a source with its own options separately.
#
# The folders of each pattern compile as one unit. As separate units they would parse the same headers and compile the
# same templates again.
set(united_folders "core/(builds|family|lookup|misses|row)" "core/(readers|table)" "server/(answers|db|keys|snapshots)"
                   "server/(ops|queue|webhook)" "agent/(aiter|base|device)" "agent/(engines|search)" "agent/(install|transfer)"
                   "agent/(capture|daemon)"
                   "tests/unit/core/(analysis|shapes)" "tests/unit/core/(base|builds|family|lookup|misses)"
                   "tests/unit/core/(readers|row|table)" "tests/unit/server/.*"
                   "tests/unit/agent/(aiter|base|capture|daemon|device|hub)" "tests/unit/agent/(engines|install|search)"
                   "tests/unit/agent/(tables|transfer|tune)" "tests/e2e/(bad_input|exports|page|queue|readers)")

function(unite_target target)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(STATIC_LIBRARY|SHARED_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${folder})
    get_filename_component(room ${path} DIRECTORY)
    file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR} ${room})
    foreach(folders ${united_folders})
      string(REGEX REPLACE "^${folders}$" "${folders}" room "${room}")
    endforeach()
    string(MAKE_C_IDENTIFIER "${room}" group)
    set_source_files_properties(${path} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    if(source MATCHES "\\.c$")
      set_source_files_properties(${path} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ warns about a class member whose type is in an anonymous namespace of an included file. In a unit this is fine,
  # because the included files are .cpp files.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

function(unite_folders folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    unite_target(${target})
  endforeach()
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder ${below})
    unite_folders(${subfolder})
  endforeach()
endfunction()
