// The functions of Session that write: answers, refusals, and the three ways to end a connection.
#pragma once

#include <cerrno>

#include "core/base/histogram.h"
#include "server/http/session.h"

namespace tunehub::http {

template <typename Stream>
void Session<Stream>::Deliver(std::shared_ptr<SessionBase> self, Response response) {
  net::post(stream_.get_executor(),
            [this, self = std::move(self), response = std::move(response)]() mutable {
              if (phase_ == Phase::kHandling) Send(std::move(response));
            });
}

// Closes the connection after the answer if the client still sends a body that the session will not
// read.
template <typename Stream>
void Session<Stream>::Refuse(Response response) {
  if (!parser_->is_done()) form_.keep_alive = false;
  Send(std::move(response));
}

template <typename Stream>
void Session<Stream>::RefuseAndClose(Response response) {
  form_.keep_alive = false;
  if (form_.request_id.empty()) Identify();  // the header is incomplete or was refused
  Send(std::move(response));
}

template <typename Stream>
void Session<Stream>::TellAnswered(const Response& response) {
  const std::size_t bytes = response.body && !form_.head_only ? response.body->size() : 0;
  if (state_.callbacks.timed) {
    // These two members are still valid; a worker took the request's other members.
    state_.callbacks.timed({request_.route, response.status, core::SecondsSince(request_.arrived),
                            body_bytes_, bytes, response.refusal});
  }
  if (!state_.callbacks.answered) return;
  if (phase_ != Phase::kHandling) NoteAsked();
  try {
    state_.callbacks.answered({asked_, response.status, bytes, response.api_key});
  } catch (const std::exception& error) {
    LogEscaped(error.what());
  }
}

template <typename Stream>
void Session<Stream>::Send(Response response, bool cached) {
  if (!form_.head_only && !answer_.Take(client_, response.body, is_read_ && !cached)) {
    state_.Refuse(Room::kAnswers);
    response = Busy("Too many large answers are being sent");
  }
  TellAnswered(response);
  state_.requests.fetch_add(1, std::memory_order_relaxed);
  if (state_.stopping.load(std::memory_order_relaxed)) form_.keep_alive = false;
  charge_.Release();
  if constexpr (!kIsSocket) {
    form_.hsts = stream_.secured() ? std::optional(state_.options.hsts) : std::nullopt;
  }
  outgoing_.Assign(std::move(response), form_);
  if constexpr (kIsSocket) file_ = state_.files.Find(outgoing_.shared_body());
  phase_ = Phase::kWriting;
  writes_since_ = Clock::now();
  progress_mark_ = 0;
  Write();
}

// Returns the bytes that a client must read within a write_deadline. Otherwise the session closes
// the connection.
inline std::size_t LeastProgress(const Limits& limits) {
  const auto milliseconds = static_cast<std::size_t>(limits.write_deadline.count());
  return std::max<std::size_t>(limits.min_answer_rate * milliseconds / 1000, 1);
}

template <typename Stream>
void Session<Stream>::Write() {
  if (outgoing_.sent() >= progress_mark_) {
    deadline_ = Clock::now() + limits().write_deadline;
    progress_mark_ = outgoing_.sent() + LeastProgress(limits());
  }
  const auto [head, body] = outgoing_.Next(kWriteTurn);
  if constexpr (kIsSocket) {
    if (file_) return WriteFile(head, body.size());
  }
  // One call per turn, because net::async_write would split a turn into pieces of 64 KiB.
  const std::array<net::const_buffer, 2> buffers = {net::const_buffer(head.data(), head.size()),
                                                    net::const_buffer(body.data(), body.size())};
  stream_.async_write_some(buffers, [self = Self()](const ErrorCode& error, std::size_t bytes) {
    self->OnWritten(error, bytes);
  });
}

template <typename Stream>
void Session<Stream>::WriteFile(std::string_view head, std::size_t limit) {
  const auto turn = file_->Send(stream_.native_handle(), head, outgoing_.body_sent(), limit);
  if (turn.error == EAGAIN || turn.error == EINTR) {
    stream_.async_wait(net::socket_base::wait_write,
                       [self = Self()](const ErrorCode& error) { self->OnWritten(error, 0); });
    return;
  }
  // Posts the next step instead of calling it. So other connections get turns, and pipelined
  // requests do not recurse.
  net::post(stream_.get_executor(), [self = Self(), turn] {
    self->OnWritten(ErrorCode(turn.error, boost::system::system_category()), turn.sent);
  });
}

template <typename Stream>
void Session<Stream>::OnWritten(ErrorCode error, std::size_t bytes) {
  if (phase_ != Phase::kWriting) return;
  if (error) return Close();
  outgoing_.Advance(bytes);
  if (!outgoing_.done()) return Write();
  OnAnswered();
}

template <typename Stream>
void Session<Stream>::OnAnswered() {
  outgoing_.Release();
  answer_.Release();
  file_.reset();
  const bool stopping = state_.stopping.load(std::memory_order_relaxed);
  if (stopping && parser_->is_done()) return Close();  // no unread bytes, so no reset
  if (!form_.keep_alive) return Linger();
  NewRequest();
  if (buffer_.size() > 0) {  // pipelined
    phase_ = Phase::kHead;
    waits_since_ = Clock::now();
    deadline_ = waits_since_ + limits().header_deadline;
    return ParseHead();
  }
  if (buffer_.capacity() > kIdleBufferBytes) buffer_.shrink_to_fit();
  phase_ = Phase::kIdle;
  waits_since_ = Clock::now();
  deadline_ = waits_since_ + limits().idle_deadline;
  Read();
}

// Sends TLS's close message, but not after an incomplete answer. So the client can see that the
// answer is incomplete.
template <typename Stream>
void Session<Stream>::Farewell() {
  if constexpr (!kIsSocket) {
    if (outgoing_.done()) stream_.Farewell();
  }
}

// If a process closes a socket with unread bytes, the kernel resets the connection. The client may
// then lose our answer before reading it. So the session closes its half of the connection and
// continues to read for a while.
template <typename Stream>
void Session<Stream>::Linger() {
  Farewell();
  ErrorCode ignored;
  stream_.lowest_layer().shutdown(net::socket_base::shutdown_send, ignored);
  phase_ = Phase::kLingering;
  deadline_ = Clock::now() + kLingerTime;
  lingered_ = 0;
  if (reading_) return;
  buffer_.clear();
  Read();
}

template <typename Stream>
void Session<Stream>::OnLingeringRead(ErrorCode error, std::size_t bytes) {
  lingered_ += bytes;
  if (error || lingered_ > kLingerBytes) return Close();
  Read();
}

template <typename Stream>
void Session<Stream>::Sweep(Clock::time_point now) {
  const bool slow = phase_ == Phase::kWriting && now - writes_since_ >= kShedAfter;
  if (now < deadline_ && !(slow && answer_.Shed())) return;
  switch (phase_) {
    case Phase::kHead:
    case Phase::kBody:
      state_.timed_out.fetch_add(1, std::memory_order_relaxed);
      return RefuseAndClose(phase_ == Phase::kHead ? HeaderTimeout(limits())
                                                   : BodyTimeout(limits()));
    case Phase::kHandshake:
    case Phase::kContinue:
    case Phase::kWriting:
      state_.timed_out.fetch_add(1, std::memory_order_relaxed);
      return Close();
    case Phase::kIdle:
    case Phase::kLingering:
      return Close();
    case Phase::kHeld:  // ends by itself
    case Phase::kHandling:
    case Phase::kClosed:
      return;
  }
}

template <typename Stream>
void Session<Stream>::Close() {
  if (phase_ == Phase::kClosed) return;
  Farewell();
  EndHold();
  phase_ = Phase::kClosed;
  ErrorCode ignored;
  stream_.lowest_layer().close(ignored);
  outgoing_.Release();
  answer_.Release();
  file_.reset();
  siblings_.Remove(*this);
}

}  // namespace tunehub::http
