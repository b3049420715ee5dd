# install_manual(program component): installs the man pages and the bash completion that the program prints. Only a
# release makes them. Tests run cmake/make_manual themselves.
function(install_manual program component)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/manual/${program})
  # The program's own target makes the pages, so that every build of the program has them.
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/make_manual $<TARGET_FILE:${program}> ${folder} VERBATIM)
  install(DIRECTORY ${folder}/man1 DESTINATION share/man COMPONENT ${component})
  install(FILES ${folder}/bash DESTINATION share/bash-completion/completions RENAME ${program}
          COMPONENT ${component})
endfunction()
