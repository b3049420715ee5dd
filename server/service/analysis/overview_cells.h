// Where in an overview the keys stand that serving a model asks for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/service/analysis/overview.h"

namespace tunehub::service {

class OverviewCells {
 public:
  explicit OverviewCells(OverviewTable& table);

  // Of a key's family and target, the cells of the models whose serving asks for it and reads that
  // family. `models`: as of analysis::SpeedupKey.
  void Each(std::string_view family, std::string_view gfx, int cu_num,
            const std::vector<std::string>* models, const std::function<void(OverviewCell&)>& use);

 private:
  OverviewTable& table_;
  std::map<std::pair<std::string, int>, std::size_t> targets_;
  std::map<std::string, std::size_t, std::less<>> models_;  // "qwen3-32b TP8"
};

}  // namespace tunehub::service
