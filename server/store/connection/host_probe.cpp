#include "server/store/connection/host_probe.h"

#include <libpq-fe.h>
#include <poll.h>

#include <memory>

namespace tunehub::store {
namespace {

using Clock = std::chrono::steady_clock;
using Attempt = std::unique_ptr<PGconn, decltype(&PQfinish)>;

constexpr int kSliceMs = 100;  // how long a stop is not noticed

Attempt Begin(const std::string& url) {
  const char* const names[] = {"dbname", nullptr};
  const char* const values[] = {url.c_str(), nullptr};
  return {PQconnectStartParams(names, values, 1), &PQfinish};
}

bool IsOver(PostgresPollingStatusType status) {
  return status != PGRES_POLLING_READING && status != PGRES_POLLING_WRITING;
}

// Whether the socket can be gone on with; false where the slice is over.
bool Await(const PGconn* attempt, PostgresPollingStatusType wanted) {
  pollfd waited{PQsocket(attempt), static_cast<short>(POLLIN), 0};
  if (wanted == PGRES_POLLING_WRITING) waited.events = POLLOUT;
  return ::poll(&waited, 1, kSliceMs) > 0;
}

}  // namespace

bool Answers(const std::string& url, std::chrono::milliseconds limit,
             const std::atomic<bool>& stopping) {
  const auto until = Clock::now() + limit;
  const Attempt attempt = Begin(url);
  if (attempt == nullptr || PQstatus(attempt.get()) == CONNECTION_BAD) return true;
  PostgresPollingStatusType wanted = PGRES_POLLING_WRITING;
  while (!stopping && !IsOver(wanted)) {
    if (Await(attempt.get(), wanted))
      wanted = PQconnectPoll(attempt.get());
    else if (Clock::now() >= until)
      return false;
  }
  return true;
}

}  // namespace tunehub::store
