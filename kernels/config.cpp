#include "kernels/config.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <vector>

#include "core/row/row.h"

namespace tunehub::kernels {
namespace {

constexpr std::array<std::string_view, 2> kOrders = {"nm", "mn"};
constexpr std::array<std::string_view, 2> kShares = {"tn", "tm"};

std::string_view OrderName(Order order) {
  return kOrders[static_cast<std::size_t>(order)];
}
std::string_view ShareName(Share share) {
  return kShares[static_cast<std::size_t>(share)];
}

// "2x96x512" -> {2, 96, 512}. Absent unless the text contains exactly `count` numbers.
std::optional<std::vector<int>> Numbers(std::string_view text, std::size_t count) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (numbers.size() < count) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) return std::nullopt;
    numbers.push_back(number);
    const bool last = numbers.size() == count;
    if (last ? next != end : (next == end || *next != 'x')) return std::nullopt;
    at = next + 1;
  }
  return numbers;
}

// Removes the last "_field" from `text` and returns it.
std::optional<std::string_view> CutLast(std::string_view& text) {
  const auto underscore = text.rfind('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  const auto field = text.substr(underscore + 1);
  text = text.substr(0, underscore);
  return field;
}

}  // namespace

std::string KernelName(std::string_view kernel, const Config& config) {
  return fmt::format("{}{}_{}x{}x{}x{}_r{}x{}_{}_{}", core::kOwnKernelPrefix, kernel,
                     config.threads, config.block_m, config.block_n, config.block_k, config.tile_m,
                     config.tile_v, OrderName(config.order), ShareName(config.share));
}

std::optional<NamedConfig> ParseKernelName(std::string_view name) {
  if (!name.starts_with(core::kOwnKernelPrefix)) return std::nullopt;
  std::string_view rest = name.substr(core::kOwnKernelPrefix.size());
  NamedConfig named;
  const auto share = CutLast(rest), order = CutLast(rest), tile = CutLast(rest),
             blocks = CutLast(rest);
  if (!share || !order || !tile || !blocks || tile->empty()) return std::nullopt;
  const auto block = Numbers(*blocks, 4), registers = Numbers(tile->substr(1), 2);
  if (!block || !registers) return std::nullopt;
  named.kernel = rest;
  named.config = {(*block)[0],
                  (*block)[1],
                  (*block)[2],
                  (*block)[3],
                  (*registers)[0],
                  (*registers)[1],
                  *order == kOrders[0] ? Order::kColumnsOuter : Order::kRowsOuter,
                  *share == kShares[0] ? Share::kColumns : Share::kRows};
  // The parser also accepts other spellings ("007", another order). They print differently.
  if (KernelName(named.kernel, named.config) != name) return std::nullopt;
  return named;
}

}  // namespace tunehub::kernels
