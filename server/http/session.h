// One connection: first the TLS handshake, if there is TLS. Then for each request: head, admit,
// body, dispatch, answer. Runs only on its reactor's thread, without locks. Only listener.cpp
// includes this file.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // Boost 1.74 uses std::exchange without it
#include <vector>

#include "server/http/callback.h"
#include "server/http/outgoing.h"
#include "server/http/parser.h"
#include "server/http/refusals.h"
#include "server/http/server_state.h"
#include "server/http/target.h"
#include "server/http/tls_stream.h"

namespace tunehub::http {

// The most bytes per write. They fill the socket by one system call, but are so few that small
// answers do not wait for a download.
constexpr std::size_t kWriteTurn = 256 * 1024;
constexpr std::size_t kHeadRead = 4 * 1024;  // a usual head is below 1 KiB
constexpr std::size_t kBodyRead = 64 * 1024;
constexpr std::size_t kChunkLineBytes = 8 * 1024;  // a chunk's size line, or all trailers
constexpr std::size_t kIdleBufferBytes = 16 * 1024;
constexpr std::size_t kLingerBytes =
    1024 * 1024;  // the most bytes to read and drop after a refusal, so that the client receives it
constexpr std::chrono::seconds kLingerTime{2};
// after this time, the server may end an answer to free its memory
constexpr std::chrono::seconds kShedAfter{1};
constexpr std::chrono::milliseconds kHoldStep{10};  // between two calls of admit

// The part of a session that its reactor uses: deadlines and shutdown. Only the reactor's thread
// uses it.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Connection() = default;
  virtual void Sweep(Clock::time_point now) = 0;  // acts on a missed deadline
  virtual void CloseIfIdle() = 0;
  virtual void Close() = 0;
  virtual const std::string& client() const = 0;
  // The time at which the session began to wait for a request or the rest of its head. Absent: it
  // does not wait.
  virtual std::optional<Clock::time_point> WaitsSince() const = 0;

 private:
  friend class ConnectionSet;
  std::size_t place_ = 0;
};

class ConnectionSet {
 public:
  void Add(std::shared_ptr<Connection> connection) {
    connection->place_ = connections_.size();
    connections_.push_back(std::move(connection));
  }
  void Remove(const Connection& connection) {
    const std::size_t place = connection.place_;
    std::swap(connections_[place], connections_.back());
    connections_[place]->place_ = place;
    connections_.pop_back();
  }
  // Calls `act` for each connection, from the last to the first, because `act` may remove the
  // connection.
  template <typename Act>
  void ForEach(Act act) {
    for (std::size_t i = connections_.size(); i > 0; --i) {
      const std::shared_ptr<Connection> connection = connections_[i - 1];
      act(*connection);
    }
  }

 private:
  std::vector<std::shared_ptr<Connection>> connections_;
};

// Stream is an Asio stream over TCP: the socket itself, or TLS around it.
template <typename Stream>
class Session final : public SessionBase,
                      public Connection,
                      public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(Stream stream, Peer peer, ShareCharge place, ServerState& state, ConnectionSet& siblings)
      : stream_(std::move(stream)),
        peer_(std::move(peer)),
        place_(std::move(place)),
        state_(state),
        siblings_(siblings),
        hold_(state.held),
        charge_(state.bodies),
        answer_(state.answers) {
    state_.Opened();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override { state_.Closed(); }

  void Start() { Secure(std::nullopt); }
  // Answers without reading, because the server has no room for this connection.
  void Reject(Response response) { Secure(std::move(response)); }

  void Deliver(std::shared_ptr<SessionBase> self, Response response) override;
  void Sweep(Clock::time_point now) override;
  void CloseIfIdle() override {
    if (phase_ == Phase::kIdle || phase_ == Phase::kHandshake) Close();
  }
  void Close() override;
  const std::string& client() const override { return peer_.client; }
  std::optional<Clock::time_point> WaitsSince() const override {
    const bool waits =
        phase_ == Phase::kIdle || phase_ == Phase::kHandshake || phase_ == Phase::kHead;
    return waits ? std::optional(waits_since_) : std::nullopt;
  }

 private:
  using ErrorCode = RequestParser::ErrorCode;
  enum class Phase {
    kHandshake,
    kIdle,      // between requests
    kHead,      // some bytes of a header arrived
    kHeld,      // admit may soon answer differently
    kContinue,  // writing 100 Continue
    kBody,
    kHandling,  // a worker has the request
    kWriting,
    kLingering,  // our half is closed; reads until the client closes its half
    kClosed,
  };

  // True for a plain socket, which can send bytes from a file. TLS must process all bytes.
  static constexpr bool kIsSocket = std::is_same_v<Stream, PlainStream>;

  const Limits& limits() const { return state_.options.limits; }
  auto Self() { return this->shared_from_this(); }

  std::string_view Unparsed() const {
    return {static_cast<const char*>(buffer_.data().data()), buffer_.size()};
  }

  void Secure(std::optional<Response> refusal);
  void OnSecured(ErrorCode error, std::optional<Response> refusal);
  void Begin(std::optional<Response> refusal);
  void NewRequest();
  void Read();
  void OnRead(ErrorCode error, std::size_t bytes);
  void ParseHead();
  void OnHead();
  void Identify();
  std::optional<Response> Examine();
  void Decide();
  bool MayChange(const Response& refusal) const;
  bool HasRoomToHold(const Response& refusal);
  void Hold();
  void EndHold();
  void AwaitBody();
  void ParseBody();
  void OnRequest();
  std::optional<Response> Place(Pool& pool) const;
  void NoteAsked();
  void TellAnswered(const Response& response);

  void Refuse(Response response);
  void RefuseAndClose(Response response);
  void Send(Response response, bool cached = false);
  void Write();
  void WriteFile(std::string_view head, std::size_t limit);
  void OnWritten(ErrorCode error, std::size_t bytes);
  void OnAnswered();
  void Farewell();
  void Linger();
  void OnLingeringRead(ErrorCode error, std::size_t bytes);

  Stream stream_;
  const Peer peer_;
  const ShareCharge place_;
  ServerState& state_;
  ConnectionSet& siblings_;

  Phase phase_ = Phase::kIdle;
  Clock::time_point deadline_;
  Clock::time_point waits_since_ = Clock::now();  // start of the wait for bytes
  Clock::time_point writes_since_;
  Clock::time_point body_started_;
  bool counts_as_held_ = false;
  bool reading_ = false;  // true: a read is in progress; it may outlive the phase that started it
  beast::flat_buffer buffer_;
  std::size_t head_bytes_ = 0;
  Request request_;
  Asked asked_;  // a copy for the log, because request_ moves to a worker; empty without a log
  std::size_t body_bytes_ = 0;
  ShareCharge hold_, charge_;
  std::optional<RequestParser> parser_;

  std::string client_;  // the client for limits
  // true: the server may refuse the answer to save memory; false: a write's answer
  bool is_read_ = false;
  AnswerForm form_;
  Outgoing outgoing_;
  std::shared_ptr<const MemoryFile> file_;  // the file with the body of outgoing_, if there is one
  AnswerCharge answer_;
  std::size_t progress_mark_ = 0;
  std::size_t lingered_ = 0;
};

}  // namespace tunehub::http

#include "server/http/session_read.h"
#include "server/http/session_write.h"
