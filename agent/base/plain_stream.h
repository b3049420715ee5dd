// What the program prints, without what a terminal would obey: much of it is a hub's.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace tunehub::agent {

// Hands on whole lines, and what there is of one when it is flushed.
class PlainBuffer : public std::streambuf {
 public:
  explicit PlainBuffer(std::ostream& to) : to_(to) {}
  PlainBuffer(const PlainBuffer&) = delete;
  PlainBuffer& operator=(const PlainBuffer&) = delete;
  ~PlainBuffer() override;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool HandOn(std::size_t bytes);

  std::ostream& to_;
  std::string waiting_;
};

class PlainStream : public std::ostream {
 public:
  explicit PlainStream(std::ostream& to) : std::ostream(nullptr), buffer_(to) { rdbuf(&buffer_); }

 private:
  PlainBuffer buffer_;
};

}  // namespace tunehub::agent
