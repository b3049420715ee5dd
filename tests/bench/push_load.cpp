// push_load hub PORT KEY DIR AGENTS ROUND: AGENTS agents, each on its own connection, begin a run
// and
//   push the rows of DIR/0.csv, DIR/1.csv, ... in batches of kBatch rows, each with an idempotency
//   key, as tunehub-agent does.
// push_load copy CONNECTION DIR AGENTS: AGENTS clients COPY DIR/0.measurement and DIR/0.candidate,
//   ... into the tables copied_measurement and copied_candidate. A transaction has as many rows of
//   each table as a batch.
// Prints "rows seconds median_ms p99_ms" of the batches. For hub it adds "refused failed": the
// number of answers 429, and of answers 500 or more. It repeats these batches. Exit status 1: any
// other refusal.
#include <libpq-fe.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/load_connection.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 100;  // rows

struct Lines {
  std::string header;
  std::vector<std::string> batches;  // kBatch lines each; the last may have fewer
};

Lines ReadLines(const std::string& path, bool has_header) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Lines lines;
  std::string line;
  if (has_header && std::getline(file, line)) lines.header = line + "\n";
  for (std::size_t count = 0; std::getline(file, line); ++count) {
    if (count % kBatch == 0) lines.batches.emplace_back();
    lines.batches.back() += line + "\n";
  }
  return lines;
}

struct Tally {
  std::size_t rows = 0, refused = 0, failed = 0;
  std::vector<double> milliseconds;
  std::string failure;

  void Add(const Tally& other) {
    rows += other.rows;
    refused += other.refused;
    failed += other.failed;
    milliseconds.insert(milliseconds.end(), other.milliseconds.begin(), other.milliseconds.end());
    if (!other.failure.empty()) failure = other.failure;
  }
};

std::size_t RowsOf(const std::string& batch) {
  return static_cast<std::size_t>(std::count(batch.begin(), batch.end(), '\n'));
}

// Calls `send` for each batch and records its time.
template <typename Send>
void SendAll(const std::vector<std::string>& batches, Tally& tally, const Send& send) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto begin = Clock::now();
    send(i);
    tally.milliseconds.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    tally.rows += RowsOf(batches[i]);
  }
}

// Starts all clients, waits until each is connected, and then begins to measure.
template <typename Prepare>
int Measure(std::size_t clients, const Prepare& prepare) {
  std::barrier ready(static_cast<std::ptrdiff_t>(clients) + 1);
  std::mutex mutex;
  Tally all;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      Tally own;
      bool waited = false;
      try {
        prepare(i, own, [&] { waited = true, ready.arrive_and_wait(); });
      } catch (const std::exception& error) {
        own.failure = error.what();
        if (!waited) ready.arrive_and_drop();
      }
      const std::lock_guard lock(mutex);
      all.Add(own);
    });
  }
  ready.arrive_and_wait();
  const auto begin = Clock::now();
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!all.failure.empty()) std::fprintf(stderr, "push_load: %s\n", all.failure.c_str());
  std::printf("%zu %.3f %.2f %.2f %zu %zu\n", all.rows, seconds, Percentile(all.milliseconds, 0.5),
              Percentile(all.milliseconds, 0.99), all.refused, all.failed);
  return all.failure.empty() && all.failed == 0 ? 0 : 1;
}

// Repeats a request after a 429 or a 5xx, as an agent does, and counts both.
Answer Insist(Connection& hub, const std::string& path, const std::string& headers,
              const std::string& body, Tally& tally) {
  for (;;) {
    Answer answer = hub.Post(path, headers, body);
    if (answer.status / 100 == 2) return answer;
    if (answer.status != 429 && answer.status / 100 != 5) throw std::runtime_error(answer.body);
    ++(answer.status == 429 ? tally.refused : tally.failed);
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

void Push(Connection& hub, const Lines& lines, const std::string& name, const auto& connected,
          Tally& tally) {
  const Answer run = Insist(hub, "/runs", "Content-Type: application/json\r\n",
                            R"({"note":"rows of )" + name + "\"}", tally);
  const std::string path = "/results/a8w8_blockscale?run=" + Number(run.body, "id");
  connected();
  SendAll(lines.batches, tally, [&](std::size_t i) {
    Insist(hub, path,
           "Content-Type: text/csv\r\nIdempotency-Key: " + name + "-" + std::to_string(i) + "\r\n",
           lines.header + lines.batches[i], tally);
  });
}

class Database {
 public:
  explicit Database(const char* where) : connection_(PQconnectdb(where)) {
    if (PQstatus(connection_) != CONNECTION_OK) throw Failure();
  }
  ~Database() { PQfinish(connection_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void Do(const char* statement, ExecStatusType expected = PGRES_COMMAND_OK) {
    PGresult* const result = PQexec(connection_, statement);
    const bool done = PQresultStatus(result) == expected;
    PQclear(result);
    if (!done) throw Failure();
  }

  void Copy(const char* statement, const std::string& rows) {
    Do(statement, PGRES_COPY_IN);
    if (PQputCopyData(connection_, rows.data(), static_cast<int>(rows.size())) != 1 ||
        PQputCopyEnd(connection_, nullptr) != 1) {
      throw Failure();
    }
    while (PGresult* const result = PQgetResult(connection_)) {
      const bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
      PQclear(result);
      if (!done) throw Failure();
    }
  }

 private:
  std::runtime_error Failure() const { return std::runtime_error(PQerrorMessage(connection_)); }

  PGconn* connection_;
};

// For each row on the hub's side, copies one row of `measurement` and one of `candidate`.
void Copy(Database& database, const std::string& stem, const auto& connected, Tally& tally) {
  const Lines measurements = ReadLines(stem + ".measurement", false);
  const Lines candidates = ReadLines(stem + ".candidate", false);
  if (measurements.batches.size() != candidates.batches.size()) {
    throw std::runtime_error(stem + ": not as many candidates as measurements");
  }
  connected();
  SendAll(measurements.batches, tally, [&](std::size_t i) {
    database.Do("BEGIN");
    database.Copy("COPY copied_measurement FROM STDIN", measurements.batches[i]);
    database.Copy("COPY copied_candidate FROM STDIN", candidates.batches[i]);
    database.Do("COMMIT");
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string side = argc > 1 ? argv[1] : "";
  if (side == "hub" && argc == 7) {
    const std::string dir = argv[4], round = argv[6];
    return Measure(std::strtoul(argv[5], nullptr, 10),
                   [&](std::size_t i, Tally& tally, auto connected) {
                     const std::string number = std::to_string(i);
                     Connection hub(std::atoi(argv[2]), argv[3]);
                     Push(hub, ReadLines(dir + "/" + number + ".csv", true), round + "-" + number,
                          connected, tally);
                   });
  }
  if (side == "copy" && argc == 5) {
    return Measure(
        std::strtoul(argv[4], nullptr, 10), [&](std::size_t i, Tally& tally, auto connected) {
          Database database(argv[2]);
          Copy(database, std::string(argv[3]) + "/" + std::to_string(i), connected, tally);
        });
  }
  std::fprintf(
      stderr,
      "usage: push_load hub PORT KEY DIR AGENTS ROUND | push_load copy CONNECTION DIR AGENTS\n");
  return 2;
}
