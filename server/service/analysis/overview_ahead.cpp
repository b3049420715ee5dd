#include "server/service/analysis/overview_ahead.h"

#include <spdlog/spdlog.h>

namespace tunehub::service {
namespace {

constexpr std::int64_t kUsualTp = 8;       // GPUs of one node: what the page asks for at first
constexpr std::chrono::seconds kPause{2};  // agents that push all the time make it no oftener

}  // namespace

void OverviewAhead::Start() {
  thread_.Wake();
  thread_.Start([this] { Run(); });
}

void OverviewAhead::Run() {
  while (thread_.Await()) {
    try {
      overview_.Get(kUsualTp);
    } catch (const std::exception& error) {
      spdlog::debug("the overview is not made ahead: {}", error.what());
    }
    if (!thread_.Pause(kPause)) return;
  }
}

}  // namespace tunehub::service
