// Where the files lie that came with the program.
#pragma once

#include <filesystem>

namespace tunehub::server {

struct Installation {
  std::filesystem::path share;  // the folder with configs/ and web/dist/
  // What an administrator wrote for every command of an installed program, where there is such a
  // file; "" else, and for the program of a build.
  std::filesystem::path settings;
};

// Installed as PREFIX/bin, it has PREFIX/share/tunehub and PREFIX/etc/tunehub/server.json; for the
// prefix /usr that is /etc/tunehub/server.json. A build has the source's folder.
Installation FindInstallation();

}  // namespace tunehub::server
