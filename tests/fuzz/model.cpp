// A model's config.json that anybody may paste into the dashboard.
#include "core/shapes/model.h"

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)tunehub::core::ParseModel("config.json", tunehub::fuzz::TextOf(data, size));
  return 0;
}
