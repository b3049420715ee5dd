#include "server/embedded/settings.h"

namespace tunehub::embedded {

std::map<std::string, std::string> Settings(const std::filesystem::path& socket_dir,
                                            const std::map<std::string, std::string>& extra) {
  std::map<std::string, std::string> settings = extra;
  // insert() keeps what `extra` says.
  settings.insert({
      {"listen_addresses", ""},  // the socket only
      {"unix_socket_directories", socket_dir.string()},
      {"unix_socket_permissions", "0700"},
      {"port", "5432"},  // part of the socket's name
      {"cluster_name", "tunehub"},
      {"dynamic_shared_memory_type", "mmap"},  // /dev/shm is 64 MB in a container
      {"fsync", "on"},                         // an acknowledged batch survives a power cut
      {"synchronous_commit", "on"},
      {"full_page_writes", "on"},
      {"max_connections", "50"},  // the pool takes 16, the rest is for people
      {"shared_buffers", "128MB"},
      {"max_wal_size", "2GB"},  // a bulk import without a checkpoint every few seconds
      {"wal_compression", "lz4"},
      {"jit", "off"},              // costs more than it saves on statements of milliseconds
      {"log_checkpoints", "off"},  // would be most of the log
      {"log_line_prefix", "%m [%p] "},
      {"log_timezone", "UTC"},
      {"timezone", "UTC"},
  });
  return settings;
}

}  // namespace tunehub::embedded
