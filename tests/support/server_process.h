// The real tunehub-server as a child process, on a free port. Tests can read its log.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/http_client.h"
#include "tests/support/hub_identity.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {

struct ServerOptions {
  std::string database = {};  // a libpq connection string; migrated before the first start
  std::filesystem::path data =
      {};  // used without `database`: the folder of the server's own PostgreSQL
  std::filesystem::path configs = {};
  std::map<std::string, std::string> environment = {};
  bool serve_migrates = false;  // `serve --migrate` at every start, instead of `migrate` before it
  const HubIdentity* tls = nullptr;  // clients trust its certificate; it must outlive the server
};

class ServerProcess {
 public:
  // Returns once the server answers /readyz. Throws, with its log, if the server ends earlier.
  explicit ServerProcess(ServerOptions options);
  // Fails the test if a log of this server contains the secret of a key that NewKey or Tool made.
  ~ServerProcess();

  unsigned short port() const { return port_; }
  pid_t pid() const { return program_->pid(); }
  std::string url() const {
    return (options_.tls == nullptr ? "http://127.0.0.1:" : "https://127.0.0.1:") +
           std::to_string(port_);
  }
  std::string Log() const;
  bool Lives();

  // Sends SIGTERM and returns the exit status. Throws if the process still runs after the limit.
  int Stop(std::chrono::seconds limit = std::chrono::seconds(15));
  void Kill();   // -9
  void Start();  // starts the server again; its port may change

  // The API key's text, as `tunehub-server key create` prints it. `rights`: more options, such as
  // --owner NAME.
  std::string NewKey(const std::string& scope, const std::vector<std::string>& rights = {}) const;
  // A key that has expired, which no command makes. Only for a server with `database`.
  std::string ExpiredKey(const std::string& scope) const;
  void Revoke(const std::string& key) const;
  // Runs `tunehub-server ARGUMENTS...` on the same database.
  Finished Tool(std::vector<std::string> arguments) const;

  HttpClient Client(std::string key = "") const {
    return HttpClient(port_, std::move(key),
                      options_.tls == nullptr ? nullptr : options_.tls->Client());
  }
  void Signal(int number) { program_->Signal(number); }
  // Waits up to a minute until GET /readyz has this status.
  bool AwaitReady(int status = 200) const;

 private:
  std::vector<std::string> DatabaseArguments() const;

  ServerOptions options_;
  TempDir dir_;
  int starts_ = 0;
  std::unique_ptr<Program> program_;
  unsigned short port_ = 0;
  mutable std::vector<std::string> secrets_;
};

}  // namespace tunehub::test
