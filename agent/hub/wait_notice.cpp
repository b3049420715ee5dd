#include "agent/hub/wait_notice.h"

#include <unistd.h>

#include <algorithm>

#include "core/base/text.h"

namespace tunehub::agent {
namespace {

constexpr int kSlower = 5;  // each pause between two lines is so many times the pause before
constexpr std::chrono::minutes kLongestSilence{5};

}  // namespace

WaitNotice::WaitNotice(std::FILE* err, std::chrono::milliseconds silence)
    : err_(err), silence_(silence) {
  if (err_ != nullptr) thread_ = std::jthread([this](const std::stop_token& end) { Run(end); });
}

void WaitNotice::For(const std::string& line) {
  const std::lock_guard lock(mutex_);
  line_ = core::PlainText(line);
}

void WaitNotice::Run(const std::stop_token& end) {
  const bool terminal = ::isatty(::fileno(err_)) == 1;
  bool shown = false;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, end, silence_, [&end] { return end.stop_requested(); })) {
    std::fprintf(err_, terminal ? "\r\033[K%s" : "%s\n", line_.c_str());
    std::fflush(err_);
    shown = true;
    silence_ = std::min<std::chrono::milliseconds>(silence_ * kSlower, kLongestSilence);
  }
  if (shown && terminal) std::fputs("\r\033[K", err_);
}

}  // namespace tunehub::agent
