// tls_load PORT SECONDS CLIENTS whole|resumed PATH ETAG: each client repeats these steps: connect,
// handshake, request PATH with that ETag, read 304, close. Prints the repetitions per second of all
// clients together. Exit status 1: anything else happened.
#include <openssl/ssl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/bench/load_connection.h"

namespace {

using Clock = std::chrono::steady_clock;
using Session = std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)>;

struct Load {
  int port;
  double seconds;
  int clients;
  bool resume;
  std::string request;
};

void Must(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

// Reads until the server's close_notify. The status must be 304.
void ReadAnswer(SSL* ssl) {
  std::array<char, 4096> buffer;
  std::string answer;
  for (;;) {
    const int got = SSL_read(ssl, buffer.data(), buffer.size());
    if (got <= 0) break;
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  }
  Must(answer.starts_with("HTTP/1.1 304 "), "the answer");
}

// `session`: the last connection's, or nothing. With `resumed`, the connection resumes it.
void Once(SSL_CTX* context, const Load& load, Session& session) {
  const int socket = ConnectTo(load.port);
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context), SSL_free);
  SSL_set_fd(ssl.get(), socket);
  if (session) SSL_set_session(ssl.get(), session.get());
  Must(SSL_connect(ssl.get()) == 1, "the handshake");
  Must(!session || SSL_session_reused(ssl.get()) == 1, "the session is not resumed");
  Must(SSL_write(ssl.get(), load.request.data(), static_cast<int>(load.request.size())) > 0,
       "the request");
  ReadAnswer(ssl.get());
  if (load.resume) session = Session(SSL_get1_session(ssl.get()), SSL_SESSION_free);
  SSL_set_shutdown(ssl.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  close(socket);
}

double Measure(const Load& load) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  std::atomic<long> done{0};
  std::atomic<bool> failed{false};
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(load.seconds);
  std::vector<std::thread> threads;
  for (int i = 0; i < load.clients; ++i) {
    threads.emplace_back([&] {
      try {
        Session session(nullptr, SSL_SESSION_free);
        while (Clock::now() < end && !failed) {
          Once(context.get(), load, session);
          ++done;
        }
      } catch (const std::exception& error) {
        std::fprintf(stderr, "tls_load: %s\n", error.what());
        failed = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failed) std::exit(1);
  return static_cast<double>(done) / std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: tls_load PORT SECONDS CLIENTS whole|resumed PATH ETAG\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  const Load load = {.port = std::atoi(argv[1]),
                     .seconds = std::atof(argv[2]),
                     .clients = std::atoi(argv[3]),
                     .resume = std::string_view(argv[4]) == "resumed",
                     .request = std::string("GET ") + argv[5] +
                                " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                                "If-None-Match: " + argv[6] + "\r\n\r\n"};
  std::printf("%.1f\n", Measure(load));
}
