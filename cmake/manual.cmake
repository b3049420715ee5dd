# install_manual(program component): what the built program says of itself, its man pages and bash's completion,
# where each is looked for. Of a release alone: tests run cmake/make_manual themselves.
function(install_manual program component)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/manual/${program})
  # With the program, and no target of its own: who builds a program to install it has them too.
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/make_manual $<TARGET_FILE:${program}> ${folder} VERBATIM)
  install(DIRECTORY ${folder}/man1 DESTINATION share/man COMPONENT ${component})
  install(FILES ${folder}/bash DESTINATION share/bash-completion/completions RENAME ${program}
          COMPONENT ${component})
endfunction()
