#include "tests/support/server_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <thread>

#include "core/base/hash.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kStartPatience{120};  // for initdb, recovery, sanitizers
constexpr std::chrono::seconds kReadyPatience{60};
constexpr milliseconds kPause{20};

// "... listens on http://127.0.0.1:40123/ at revision 0", or https.
unsigned short PortIn(const std::string& log) {
  const std::string address = "://127.0.0.1:";
  const std::size_t lead = log.find("listens on http");
  const std::size_t begin = lead == std::string::npos ? lead : log.find(address, lead);
  if (begin == std::string::npos || log.find('/', begin + address.size()) == std::string::npos)
    return 0;
  return static_cast<unsigned short>(std::stoi(log.substr(begin + address.size(), 5)));
}

}  // namespace

ServerProcess::ServerProcess(ServerOptions options) : options_(std::move(options)) {
  if (!options_.database.empty() && !options_.serve_migrates) {
    const Finished migrated = Tool({"migrate"});
    if (migrated.status != 0) throw std::runtime_error("migrate: " + migrated.err);
  }
  Start();
}

ServerProcess::~ServerProcess() {
  program_.reset();  // ends the server, so that its log is complete
  for (int start = 1; start <= starts_; ++start) {
    const std::string log = ReadText(dir_.path() / ("log" + std::to_string(start)));
    for (const std::string& secret : secrets_) {
      EXPECT_EQ(log.find(secret), std::string::npos) << "the log has the secret of a key: " << log;
    }
  }
}

std::vector<std::string> ServerProcess::DatabaseArguments() const {
  std::vector<std::string> arguments;
  if (!options_.database.empty())
    arguments = {"--database", options_.database};
  else
    arguments = {"--data", options_.data.string()};
  if (!options_.configs.empty()) {
    arguments.insert(arguments.end(), {"--configs", options_.configs.string()});
  }
  return arguments;
}

void ServerProcess::Start() {
  Command command{ServerBinary(), {"serve", "--listen", "127.0.0.1:0"}, options_.environment};
  for (std::string& it : DatabaseArguments()) command.arguments.push_back(std::move(it));
  if (options_.serve_migrates) command.arguments.emplace_back("--migrate");
  if (options_.tls != nullptr) {
    command.arguments.insert(command.arguments.end(),
                             {"--tls-certificate", options_.tls->certificate().string(),
                              "--tls-key", options_.tls->key().string()});
  }
  const auto log = dir_.path() / ("log" + std::to_string(++starts_));
  program_ = std::make_unique<Program>(command, log, log);
  const auto until = Clock::now() + kStartPatience;
  while ((port_ = PortIn(Log())) == 0) {
    if (program_->Wait(kPause) || Clock::now() > until) {
      throw std::runtime_error("the server does not start: " + Log());
    }
  }
  if (!AwaitReady()) throw std::runtime_error("the server is never ready: " + Log());
}

std::string ServerProcess::Log() const {
  return ReadText(dir_.path() / ("log" + std::to_string(starts_)));
}

bool ServerProcess::Lives() {
  return !program_->Wait(milliseconds(0)).has_value();
}

int ServerProcess::Stop(std::chrono::seconds limit) {
  program_->Signal(SIGTERM);
  const auto status = program_->Wait(limit);
  if (!status) throw std::runtime_error("the server does not stop: " + Log());
  return *status;
}

void ServerProcess::Kill() {
  program_->Signal(SIGKILL);
  program_->Wait(kStartPatience);
}

std::string ServerProcess::ExpiredKey(const std::string& scope) const {
  const std::string key = "thub_" + std::string(32, 'e');
  Execute(options_.database, "INSERT INTO api_key (sha256, hint, scope, expires) VALUES ('" +
                                 core::Sha256Hex(key) + "', 'thub_eeee', '" + scope +
                                 "', now() - interval '1 day')");
  secrets_.push_back(key);
  return key;
}

std::string ServerProcess::NewKey(const std::string& scope,
                                  const std::vector<std::string>& rights) const {
  std::vector<std::string> arguments = {"key", "create", "--scope", scope};
  arguments.insert(arguments.end(), rights.begin(), rights.end());
  Finished made = Tool(std::move(arguments));
  if (made.status != 0) throw std::runtime_error("key create: " + made.err);
  made.out.pop_back();  // the line feed
  return made.out;
}

void ServerProcess::Revoke(const std::string& key) const {
  const std::string list = Tool({"key", "list"}).out;
  const std::size_t line = list.rfind('\n', list.find(key.substr(0, 9))) + 1;
  const Finished done = Tool({"key", "revoke", list.substr(line, list.find(' ', line) - line)});
  if (done.status != 0) throw std::runtime_error("key revoke: " + done.err);
}

Finished ServerProcess::Tool(std::vector<std::string> arguments) const {
  const bool makes_key = arguments.size() > 1 && arguments[0] == "key" &&
                         (arguments[1] == "create" || arguments[1] == "rotate");
  for (std::string& it : DatabaseArguments()) arguments.push_back(std::move(it));
  Finished finished = RunToEnd({ServerBinary(), std::move(arguments), {}});
  if (makes_key && finished.status == 0)
    secrets_.push_back(finished.out.substr(0, finished.out.find('\n')));
  return finished;
}

bool ServerProcess::AwaitReady(int status) const {
  const auto until = Clock::now() + kReadyPatience;
  while (Clock::now() < until) {
    if (const auto answer = Client().Try("GET", "/readyz"); answer && answer->status == status) {
      return true;
    }
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

}  // namespace tunehub::test
