// A client that sends exactly the bytes it is told to, for what a proper HTTP client cannot say.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tunehub::test {

struct RawAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // Empty where there is no such header.
  std::string Header(const std::string& name) const;
};

class RawHttp {
 public:
  enum class Body { kExpected, kNone };  // kNone: the answer to HEAD

  explicit RawHttp(unsigned short port) : RawHttp() { Connect(port); }
  RawHttp();  // a socket that is not connected yet
  ~RawHttp();
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;

  void Connect(unsigned short port);
  // A receive buffer so small that a slow reader is noticed. Before Connect().
  void ShrinkReceiveBuffer();

  // False where the server has closed.
  bool Send(std::string_view bytes);
  void HalfClose();
  void Reset();  // closes with RST

  // The next answer; nothing where the server closes or stays silent before it is whole.
  std::optional<RawAnswer> Read(Body body = Body::kExpected);
  std::optional<RawAnswer> Exchange(std::string_view request, Body body = Body::kExpected);
  // Everything up to the server's close or to the time limit.
  std::string ReadToEnd(std::chrono::milliseconds limit = std::chrono::seconds(5));
  // Whether the server closes (and sends nothing more) within the limit.
  bool Closes(std::chrono::milliseconds limit = std::chrono::seconds(5));
  // Whether nothing comes for so long.
  bool StaysSilent(std::chrono::milliseconds time);
  // After a failed read: the server reset the connection.
  bool was_reset() const { return was_reset_; }

 private:
  enum class Event { kBytes, kEnd, kSilence };
  Event Receive(std::chrono::milliseconds limit);
  bool FillTo(std::size_t size);

  int socket_;
  std::string buffer_;
  bool was_reset_ = false;
};

}  // namespace tunehub::test
