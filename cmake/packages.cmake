# The packages that `deploy/package` makes from a release: two Debian packages and an archive with one program. The
# COMPONENT of an install() chooses the file's package: server, agent or archive (docs/operations.md).
set(packaging ${CMAKE_SOURCE_DIR}/deploy/packaging)

install(TARGETS tunehub-server DESTINATION bin COMPONENT server)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/configs DESTINATION share/tunehub COMPONENT server)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/web/dist DESTINATION share/tunehub/web COMPONENT server
        PATTERN built-from EXCLUDE)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/deploy/point-in-time DESTINATION share/tunehub COMPONENT server)
install(FILES ${CMAKE_SOURCE_DIR}/deploy/tunehub-server.service ${CMAKE_SOURCE_DIR}/deploy/tunehub-backup.service
              ${CMAKE_SOURCE_DIR}/deploy/tunehub-backup.timer DESTINATION lib/systemd/system COMPONENT server)
install(FILES ${packaging}/server/server.json DESTINATION /etc/tunehub COMPONENT server)
# For monitoring. The server does not read these files.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/deploy/observe DESTINATION share/tunehub COMPONENT server)
install(FILES ${CMAKE_SOURCE_DIR}/docs/runbook.md DESTINATION share/doc/tunehub-server COMPONENT server)

install(TARGETS tunehub-agent DESTINATION bin COMPONENT agent)
install(FILES ${CMAKE_SOURCE_DIR}/deploy/tunehub-agent.service
              ${CMAKE_SOURCE_DIR}/deploy/tunehub-agent@.service DESTINATION lib/systemd/system COMPONENT agent)
# Only root can read this file, because it will contain an API key.
install(FILES ${packaging}/agent/agent.env DESTINATION /etc/tunehub COMPONENT agent
        PERMISSIONS OWNER_READ OWNER_WRITE)

install(TARGETS tunehub-agent DESTINATION . COMPONENT archive)
install(FILES ${packaging}/agent/README ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION . COMPONENT archive)

# Licence terms require a notice with the authors of all code in a program. The notice is THIRD-PARTY.md and Debian's
# copyright text of each part. Columns of the list: part, terms, server, agent, engines, page, package.
file(STRINGS ${CMAKE_SOURCE_DIR}/THIRD-PARTY.md parts REGEX "^\\| `")
foreach(program server agent)
  set(third_party ${CMAKE_BINARY_DIR}/${program}/THIRD-PARTY)
  file(READ ${CMAKE_SOURCE_DIR}/THIRD-PARTY.md list)
  file(WRITE ${third_party} "${list}")
  set(column 3)
  if(program STREQUAL "agent")
    set(column 4)
  endif()
  foreach(part ${parts})
    string(REPLACE "|" ";" cells "${part}")
    list(GET cells ${column} how)
    list(GET cells 7 package)
    string(STRIP "${package}" package)
    if(NOT how MATCHES "carried|compiled in" OR package STREQUAL "")
      continue()
    endif()
    if(EXISTS /usr/share/doc/${package}/copyright)
      file(READ /usr/share/doc/${package}/copyright terms)
      file(APPEND ${third_party} "\n==== ${package}\n\n${terms}")
    else()
      message(STATUS "Packages: THIRD-PARTY lacks the terms of ${package}, because Debian's package is not installed")
    endif()
  endforeach()
  install(FILES ${third_party} DESTINATION share/doc/tunehub-${program} COMPONENT ${program})
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/agent/THIRD-PARTY DESTINATION . COMPONENT archive)

foreach(component server agent)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/tunehub-${component} RENAME copyright
          COMPONENT ${component})
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME tunehub-${component})
  set(CPACK_DEBIAN_${name}_PACKAGE_SHLIBDEPS ON)
  # Makes the scripts executable in the package, with any mode in the clone.
  set(CPACK_DEBIAN_${name}_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_${name}_PACKAGE_CONTROL_EXTRA)
  foreach(file postinst prerm postrm conffiles)
    list(APPEND CPACK_DEBIAN_${name}_PACKAGE_CONTROL_EXTRA ${packaging}/${component}/${file})
  endforeach()
endforeach()

set(CPACK_PACKAGE_NAME tunehub)
set(CPACK_PACKAGE_CONTACT "The tunehub authors")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_components.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_COMPONENT_SERVER_DESCRIPTION "registry of GPU kernel tuning results, the server
Keeps the best measured row for each GPU and shape, with its history, and
serves merged tuned tables that AITER reads. It runs its own PostgreSQL
or uses another one.")
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "postgresql (>= 15), adduser, init-system-helpers")
set(CPACK_COMPONENT_AGENT_DESCRIPTION "registry of GPU kernel tuning results, the agent
One program for hosts with GPUs and for builds. It explains a log of
misses, tunes kernels, and pushes and pulls tuned tables.")
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS ca-certificates)

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
include(CPack)
