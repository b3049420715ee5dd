#include "agent/base/plain_stream.h"

#include <string_view>

#include "core/base/plain_text.h"

namespace tunehub::agent {

PlainBuffer::~PlainBuffer() {
  HandOn(waiting_.size());
}

PlainBuffer::int_type PlainBuffer::overflow(int_type c) {
  const char byte = traits_type::to_char_type(c);
  return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&byte, 1) == 1
             ? traits_type::not_eof(c)
             : traits_type::eof();
}

std::streamsize PlainBuffer::xsputn(const char* text, std::streamsize size) {
  const std::string_view more(text, static_cast<std::size_t>(size));
  const std::size_t end = more.rfind('\n');
  const std::size_t whole = end == std::string_view::npos ? 0 : waiting_.size() + end + 1;
  waiting_ += more;
  return HandOn(whole) ? size : 0;
}

int PlainBuffer::sync() {
  return HandOn(waiting_.size()) && to_.flush() ? 0 : -1;
}

bool PlainBuffer::HandOn(std::size_t bytes) {
  to_ << core::PlainText(std::string_view(waiting_).substr(0, bytes), "\n\t");
  waiting_.erase(0, bytes);
  return to_.good();
}

}  // namespace tunehub::agent
