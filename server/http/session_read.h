// The functions of Session that read: from the start (with TLS, from the end of the handshake) to a
// complete request.
#pragma once

#include "server/http/session.h"

namespace tunehub::http {

// `refusal`: if set, the session sends this answer without reading a request.
template <typename Stream>
void Session<Stream>::Secure(std::optional<Response> refusal) {
  if constexpr (kIsSocket) {
    Begin(std::move(refusal));
  } else {
    phase_ = Phase::kHandshake;
    deadline_ = Clock::now() + limits().handshake_deadline;
    stream_.async_handshake(
        [self = Self(), refusal = std::move(refusal)](const ErrorCode& error) mutable {
          self->OnSecured(error, std::move(refusal));
        });
  }
}

template <typename Stream>
void Session<Stream>::OnSecured(ErrorCode error, std::optional<Response> refusal) {
  if constexpr (!kIsSocket) {
    if (phase_ != Phase::kHandshake) return;  // the deadline came first
    if (!error) {
      state_.CountHandshake(stream_.resumed());
      return Begin(std::move(refusal));
    }
    state_.handshakes_failed.fetch_add(1, std::memory_order_relaxed);
    LogHandshake(peer_.address, stream_.why());
    stream_.BecomePlain();
    // OpenSSL has sent its alert, but the client may still be sending.
    if (error != boost::system::errc::wrong_protocol_type) return Linger();
    NewRequest();
    RefuseAndClose(WantsTls());
  }
}

template <typename Stream>
void Session<Stream>::Begin(std::optional<Response> refusal) {
  NewRequest();
  if (refusal) return RefuseAndClose(*std::move(refusal));
  phase_ = Phase::kIdle;
  deadline_ = Clock::now() + limits().header_deadline;
  Read();
}

template <typename Stream>
void Session<Stream>::NewRequest() {
  request_.query.clear();
  request_.headers.clear();
  request_.body = std::string();  // its memory went to the worker or is free
  request_.method.clear();
  request_.path.clear();
  request_.route = RequestHead::kNoRoute;
  body_bytes_ = 0;
  charge_.Release();
  parser_.emplace(request_, charge_, limits());
  head_bytes_ = 0;
  is_read_ = false;
  form_.head_only = false;
  form_.keep_alive = false;
  form_.http10 = false;
  form_.request_id.clear();
  form_.traceparent.clear();
}

template <typename Stream>
void Session<Stream>::Read() {
  reading_ = true;
  const bool is_head = phase_ != Phase::kBody && phase_ != Phase::kLingering;
  const std::size_t size = is_head ? kHeadRead : kBodyRead;
  stream_.async_read_some(
      buffer_.prepare(size),
      [self = Self()](const ErrorCode& error, std::size_t bytes) { self->OnRead(error, bytes); });
}

template <typename Stream>
void Session<Stream>::OnRead(ErrorCode error, std::size_t bytes) {
  reading_ = false;
  if (phase_ == Phase::kLingering) return OnLingeringRead(error, bytes);
  const bool wanted = phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody;
  if (!wanted) return;  // a deadline has already answered
  if (error) return Close();
  buffer_.commit(bytes);
  if (phase_ == Phase::kBody) return ParseBody();
  if (phase_ == Phase::kIdle) {
    phase_ = Phase::kHead;
    waits_since_ = Clock::now();  // so that MakeRoom first closes connections that wait longest
    deadline_ = waits_since_ + limits().header_deadline;
  }
  ParseHead();
}

template <typename Stream>
void Session<Stream>::ParseHead() {
  if (!parser_->got_some()) {
    // The session ignores an empty line before a request (RFC 9112 2.2).
    const std::size_t blank = std::min(Unparsed().find_first_not_of("\r\n"), buffer_.size());
    head_bytes_ += blank;
    buffer_.consume(blank);
  }
  ErrorCode error;
  const std::size_t used = parser_->put(buffer_.data(), error);
  parser_->NoteFolds(Unparsed().substr(0, used));
  buffer_.consume(used);
  head_bytes_ += used;
  if (error && error != beast::http::error::need_more) {
    return RefuseAndClose(parser_->Refusal(error, Unparsed()));
  }
  // (Beast counts its own limit again from 0 after the request line.)
  const std::size_t unparsed = parser_->is_header_done() ? 0 : buffer_.size();
  if (head_bytes_ + unparsed > limits().header_bytes) {
    return RefuseAndClose(HeaderTooLarge(limits()));
  }
  if (parser_->is_header_done()) return OnHead();
  Read();
}

// Sets the request's ids and client from the headers so far.
template <typename Stream>
void Session<Stream>::Identify() {
  const auto id = request_.Header("x-request-id");
  request_.id = id && IsRequestId(*id) ? std::string(*id) : NewRequestId();
  const auto trace = request_.Header("traceparent");
  request_.traceparent = trace && IsTraceparent(*trace) ? std::string(*trace) : std::string();
  request_.peer = peer_.address;
  request_.from_proxy = peer_.is_proxy;
  client_ = peer_.client;
  if (peer_.is_proxy) {
    request_.peer = state_.options.proxies.ClientOf(peer_.address, request_);
    client_ = NetworkOf(request_.peer);
  }
  request_.client = client_;
  charge_.Begin(client_);
  request_.arrived = Clock::now();
  form_.request_id = request_.id;
  form_.traceparent = request_.traceparent;
  form_.head_only = request_.method == "HEAD";
  is_read_ = form_.head_only || request_.method == "GET";
}

template <typename Stream>
void Session<Stream>::NoteAsked() {
  if (!state_.callbacks.answered) return;
  asked_ = static_cast<const Asked&>(request_);
}

template <typename Stream>
void Session<Stream>::OnHead() {
  Identify();
  form_.http10 = parser_->http10();
  form_.keep_alive = parser_->keep_alive();
  if (auto objection = parser_->Objection()) return RefuseAndClose(*std::move(objection));
  Decide();
}

template <typename Stream>
void Session<Stream>::Decide() {
  auto refusal = Examine();
  if (refusal && MayChange(*refusal) && HasRoomToHold(*refusal)) return Hold();
  EndHold();
  if (refusal) return Refuse(*std::move(refusal));
  if (parser_->is_done()) return OnRequest();
  AwaitBody();
}

template <typename Stream>
bool Session<Stream>::MayChange(const Response& refusal) const {
  return refusal.may_change && Clock::now() - request_.arrived < limits().hold;
}

// Only a 503 refusal needs a place. Other refusals become final after the wait, such as 401 for a
// key that may be new.
template <typename Stream>
bool Session<Stream>::HasRoomToHold(const Response& refusal) {
  constexpr int kComeAgain = 503;
  if (counts_as_held_ || refusal.status != kComeAgain) return true;
  hold_.Begin(client_);
  counts_as_held_ = hold_.Add(1);
  return counts_as_held_;
}

template <typename Stream>
void Session<Stream>::EndHold() {
  if (std::exchange(counts_as_held_, false)) hold_.Release();
}

template <typename Stream>
void Session<Stream>::Hold() {
  phase_ = Phase::kHeld;
  deadline_ = Clock::time_point::max();
  const auto timer = std::make_shared<net::steady_timer>(stream_.get_executor(), kHoldStep);
  timer->async_wait([self = Self(), timer](const ErrorCode&) {
    if (self->phase_ == Phase::kHeld) self->Decide();
  });
}

// Runs every check that can refuse a well-formed request before the session reads the body.
template <typename Stream>
std::optional<Response> Session<Stream>::Examine() {
  auto target = ParseTarget(parser_->target());
  if (!target) return BadRequest(target.error().code, target.error().detail + ".");
  const auto host = target->authority ? target->authority : request_.Header("host");
  if (auto refusal = state_.options.hosts.Refusal(target->path, host)) return refusal;
  request_.path = std::move(target->path);
  request_.query = std::move(target->query);
  if (auto refusal = Ask(state_.callbacks.admit, static_cast<RequestHead&>(request_))) {
    return refusal;
  }
  const auto length = parser_->content_length();
  if (length && !state_.bodies.Fits(request_.client, static_cast<std::size_t>(*length))) {
    state_.Refuse(Room::kBodies);
    return Busy("Too many uploads at once");
  }
  return std::nullopt;
}

template <typename Stream>
void Session<Stream>::AwaitBody() {
  body_started_ = Clock::now();
  deadline_ = body_started_ + limits().body_deadline;
  parser_->eager(true);
  phase_ = Phase::kBody;
  if (!parser_->expects_continue() || parser_->http10() || buffer_.size() > 0) return ParseBody();
  phase_ = Phase::kContinue;
  static constexpr std::string_view kContinueLine = "HTTP/1.1 100 Continue\r\n\r\n";
  net::async_write(stream_, net::buffer(kContinueLine.data(), kContinueLine.size()),
                   [self = Self()](const ErrorCode& error, std::size_t) {
                     if (self->phase_ != Phase::kContinue) return;
                     if (error) return self->Close();
                     self->phase_ = Phase::kBody;
                     self->Read();
                   });
}

template <typename Stream>
void Session<Stream>::ParseBody() {
  ErrorCode error;
  if (buffer_.size() > 0) buffer_.consume(parser_->put(buffer_.data(), error));
  if (error && error != beast::http::error::need_more) {
    if (parser_->over_budget()) state_.Refuse(Room::kBodies);
    return RefuseAndClose(parser_->Refusal(error, Unparsed()));
  }
  if (parser_->is_done()) return OnRequest();
  if (buffer_.size() > kChunkLineBytes) {
    return RefuseAndClose(BadRequest("bad_request", "A chunk's size line or trailer is too long."));
  }
  // Each received byte extends the deadline. So the session ends soon after a body stops. It does
  // not wait for the time that the body's announced size would allow.
  const auto earned = std::chrono::milliseconds(request_.body.size() * 1000 /
                                                std::max<std::size_t>(limits().min_body_rate, 1));
  deadline_ = body_started_ + limits().body_deadline + earned;
  Read();
}

template <typename Stream>
void Session<Stream>::OnRequest() {
  body_bytes_ = request_.body.size();
  if (request_.body.empty()) {
    if (auto answer = Ask(state_.callbacks.fast, static_cast<const Request&>(request_))) {
      return Send(*std::move(answer), true);
    }
  }
  Pool pool = Pool::kQuick;
  if (auto refusal = Place(pool)) return Send(*std::move(refusal));
  NoteAsked();
  phase_ = Phase::kHandling;
  deadline_ = Clock::time_point::max();
  state_.dispatch({std::move(request_), pool, std::move(charge_), Self()});
}

template <typename Stream>
std::optional<Response> Session<Stream>::Place(Pool& pool) const {
  const auto& place = state_.callbacks.place;
  if (!place) return std::nullopt;
  const auto ask = [&](const Request& request) { return place(request, pool); };
  return Ask(std::function<std::optional<Response>(const Request&)>(ask), request_);
}

}  // namespace tunehub::http
