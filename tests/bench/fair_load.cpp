// fair_load PORT SECONDS KEY JOB BEAT SCALE: many clients at one server, and the latency of a
// quiet client meanwhile. Each kind of client has its own loopback address.
//
//   127.0.0.2  64 connections that read rows of old revisions, each time another row; together 200
//              reads per second
//   127.0.0.3  5,000 idle connections
//   127.0.0.4  250 connections that send a request's head byte by byte
//   127.0.0.5  250 connections that read a large answer at a kilobyte per second
//   127.0.0.6  20 connections that upload 60 MB each with unknown keys
//   127.0.0.9  the quiet client: /healthz, heartbeats of the job JOB with the body BEAT and the key
//              KEY, and a table that is in memory. It runs for SECONDS, once all others are
//              connected.
//
// SCALE (1.0) reduces the number of other clients. For each kind of the quiet client's requests it
// prints the name, the number of requests, the number of answers other than 200, and the 50th and
// 99th percentile in ms. Then it prints how many reads of old revisions and uploads the server
// answered. Closed clients reconnect.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/load_connection.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kCrowdComes{3};

struct Load {
  int port;
  Clock::time_point end;
  std::string key, job, beat;
};

// A socket bound to `address` and connected; -1 if the server does not accept the connection.
int ConnectFrom(const char* address, int port, int receive_buffer = 0) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int one = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  if (receive_buffer > 0) {
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const timeval patience{.tv_sec = 10, .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in own{}, there{};
  own.sin_family = there.sin_family = AF_INET;
  inet_pton(AF_INET, address, &own.sin_addr);
  there.sin_port = htons(static_cast<std::uint16_t>(port));
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(socket, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0 &&
      connect(socket, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0) {
    return socket;
  }
  close(socket);
  return -1;
}

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Reads the next answer to its end. Returns its status; 0 if the server closed or was silent.
int ReadAnswer(int socket) {
  std::string answer;
  std::array<char, 65536> piece;
  std::size_t whole = 0;
  while (whole == 0 || answer.size() < whole) {
    const ssize_t got = recv(socket, piece.data(), piece.size(), 0);
    if (got <= 0) return 0;
    answer.append(piece.data(), static_cast<std::size_t>(got));
    const std::size_t end = answer.find("\r\n\r\n");
    if (whole != 0 || end == std::string::npos) continue;
    const std::string name = "Content-Length: ";
    const std::size_t at = answer.find(name);
    whole = end + 4 + (at < end ? std::strtoul(answer.c_str() + at + name.size(), nullptr, 10) : 0);
  }
  return std::atoi(answer.c_str() + sizeof("HTTP/1.1"));
}

class Tally {
 public:
  void Count(int status) {
    const std::lock_guard lock(mutex_);
    ++by_status_[status];
  }
  std::string Text() const {
    std::string text;
    for (const auto& [status, count] : by_status_) {
      text += " " + (status == 0 ? "closed" : std::to_string(status)) + ":" + std::to_string(count);
    }
    return text;
  }

 private:
  std::mutex mutex_;
  std::map<int, long> by_status_;
};

std::string Get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

// A kept connection. If the server closed it, the next request opens a new one.
class Kept {
 public:
  Kept(const char* address, int port) : address_(address), port_(port) {}
  ~Kept() { Drop(); }
  int Ask(const std::string& request) {
    if (socket_ < 0) socket_ = ConnectFrom(address_, port_);
    const int status = socket_ >= 0 && SendAll(socket_, request) ? ReadAnswer(socket_) : 0;
    if (status != 200) Drop();
    return status;
  }

 private:
  void Drop() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  const char* address_;
  int port_;
  int socket_ = -1;
};

// One kind of the quiet client's requests. One is due every 20 ms, even if the last answer came
// late.
struct Probe {
  std::string name, request;
  std::vector<double> milliseconds_taken;
  long refused = 0;

  void Run(const Load& load) {
    std::this_thread::sleep_for(kCrowdComes);
    Kept connection("127.0.0.9", load.port);
    for (auto due = Clock::now(); Clock::now() < load.end; due += milliseconds(20)) {
      std::this_thread::sleep_until(due);
      const int status = connection.Ask(request);
      if (status != 200) ++refused;
      // The latency counts from the due time, because a late answer delays later requests.
      milliseconds_taken.push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - due).count());
    }
  }
};

void ReadOldRevisions(const Load& load, int number, int all, double rate, Tally& tally) {
  Kept connection("127.0.0.2", load.port);
  const auto step = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(static_cast<double>(all) / rate));
  int m = number + 1;
  for (auto due = Clock::now() + step * number / all; Clock::now() < load.end;
       due += step, m += all) {
    std::this_thread::sleep_until(due);
    tally.Count(
        connection.Ask(Get("/tuned/a8w8_blockscale?revision=1&gfx=gfx942&M=" + std::to_string(m))));
  }
}

void Upload(const Load& load, Tally& tally) {
  const std::string piece(1 << 20, 'x');
  constexpr int kPieces = 60;
  while (Clock::now() < load.end) {
    const int socket = ConnectFrom("127.0.0.6", load.port);
    if (socket < 0) continue;
    SendAll(socket,
            "POST /results/a8w8_blockscale HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Type: text/csv\r\n"
            "Authorization: Bearer thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
            "Content-Length: " +
                std::to_string(piece.size() * kPieces) + "\r\n\r\n");
    for (int i = 0; i < kPieces && SendAll(socket, piece); ++i) {
    }
    tally.Count(ReadAnswer(socket));
    close(socket);
    std::this_thread::sleep_for(std::chrono::seconds(1));  // like an agent
  }
}

// `count` connections from one address. Each does one step per second. A closed connection
// reconnects.
void Crowd(const Load& load, const char* address, int count, int receive_buffer,
           const std::function<bool(int socket, int round)>& step) {
  std::vector<int> sockets(static_cast<std::size_t>(count), -1);
  for (int round = 0; Clock::now() < load.end; ++round) {
    const auto due = Clock::now() + std::chrono::seconds(1);
    for (int& socket : sockets) {
      if (Clock::now() >= load.end) break;
      if (socket < 0) socket = ConnectFrom(address, load.port, receive_buffer);
      if (socket < 0 || step(socket, round)) continue;
      close(socket);
      socket = -1;
    }
    std::this_thread::sleep_until(std::min(due, load.end));
  }
  for (const int socket : sockets) {
    if (socket >= 0) close(socket);
  }
}

bool IsOpen(int socket) {
  char byte = 0;
  const ssize_t got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

bool SayNothing(int socket, int) {
  return IsOpen(socket);
}

bool Trickle(int socket, int round) {
  constexpr std::string_view kHead = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
  const char byte =
      static_cast<std::size_t>(round) < kHead.size() ? kHead[static_cast<std::size_t>(round)] : 'x';
  return IsOpen(socket) && SendAll(socket, std::string_view(&byte, 1));
}

bool TakeSlowly(int socket, int round) {
  if (!IsOpen(socket)) return false;
  if (round % 30 == 0) return SendAll(socket, Get("/tuned/a8w8_blockscale?gfx=gfx942"));
  std::array<char, 1024> piece;
  return recv(socket, piece.data(), piece.size(), MSG_DONTWAIT) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: fair_load PORT SECONDS KEY JOB BEAT SCALE\n");
    return 2;
  }
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const Load load = {.port = std::atoi(argv[1]),
                     .end = Clock::now() + kCrowdComes + std::chrono::seconds(std::atoi(argv[2])),
                     .key = argv[3],
                     .job = argv[4],
                     .beat = argv[5]};
  const double scale = std::atof(argv[6]);
  const auto scaled = [&](int count) { return static_cast<int>(count * scale); };
  std::array<Probe, 3> probes = {
      Probe{"/healthz", Get("/healthz"), {}, 0},
      Probe{"heartbeat",
            "POST /jobs/" + load.job +
                "/heartbeat HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + load.key +
                "\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(load.beat.size()) + "\r\n\r\n" + load.beat,
            {},
            0},
      Probe{"cached GET", Get("/tuned/a8w8?gfx=gfx942"), {}, 0}};
  Tally reads, uploads;
  std::vector<std::thread> threads;
  const int readers = scaled(64);
  for (int i = 0; i < readers; ++i) {
    threads.emplace_back([&, i] { ReadOldRevisions(load, i, readers, 200 * scale, reads); });
  }
  threads.emplace_back([&] { Crowd(load, "127.0.0.3", scaled(5000), 0, SayNothing); });
  threads.emplace_back([&] { Crowd(load, "127.0.0.4", scaled(250), 0, Trickle); });
  threads.emplace_back([&] { Crowd(load, "127.0.0.5", scaled(250), 4096, TakeSlowly); });
  for (int i = 0; i < scaled(20); ++i) threads.emplace_back([&] { Upload(load, uploads); });
  for (Probe& probe : probes) threads.emplace_back([&] { probe.Run(load); });
  for (std::thread& thread : threads) thread.join();
  for (const Probe& probe : probes) {
    std::printf("%s|%zu|%ld|%.1f|%.1f\n", probe.name.c_str(), probe.milliseconds_taken.size(),
                probe.refused, Percentile(probe.milliseconds_taken, 0.5),
                Percentile(probe.milliseconds_taken, 0.99));
  }
  std::printf("old revisions|%s\nuploads|%s\n", reads.Text().c_str(), uploads.Text().c_str());
}
