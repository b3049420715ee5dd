#include "agent/commands/contribute/aiter_file_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/aiter/aiter_tree.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kCsv = ".csv", kUntuned = "untuned";

// The first row that holds names the operands: what q_dtype_a, q_dtype_w and q_type begin with.
struct QuantRule {
  std::string_view a, w, type;
  std::vector<std::string> names;
};

const std::vector<QuantRule>& QuantRules() {
  static const std::vector<QuantRule> rules = {
      {"torch.float4", "torch.float4", "", {"fp4", "a4w4"}},
      {"torch.float8", "torch.float4", "", {"a8w4", "fp8fp4"}},
      {"torch.bfloat16", "torch.float4", "", {"a16w4"}},
      {"torch.float16", "torch.float4", "", {"a16w4"}},
      {"", "torch.int4", "", {"i4"}},
      {"torch.float8", "torch.float8", "QuantType.per_1x32", {"mxfp8"}},
      {"torch.float8", "torch.float8", "QuantType.per_1x128", {"a8w8_blockscale", "fp8"}},
      {"torch.float8", "torch.float8", "QuantType.per_128x128", {"a8w8_blockscale", "fp8"}},
      {"torch.float8", "torch.float8", "QuantType.per_Token", {"ptpc", "fp8"}},
      {"torch.float8", "torch.float8", "", {"fp8"}},
      {"", "torch.int8", "", {"int8"}},
      {"", "torch.bfloat16", "", {"bf16"}},
      {"", "torch.float16", "", {"fp16"}},
  };
  return rules;
}

// As names are compared: small letters, one kind of mark between words.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    plain += c == '-' || c == '.' ? '_' : static_cast<char>(upper ? c - 'A' + 'a' : c);
  }
  return plain;
}

// What stands before and behind the token in a file's name.
struct AroundToken {
  std::string before, behind;
};

AroundToken SplitAtToken(const core::Family& family, std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  name.remove_suffix(std::min(kCsv.size(), name.size()));
  const std::size_t token = name.find(family.token);
  AroundToken around{Plain(name.substr(0, token)),
                     Plain(name.substr(std::min(token + family.token.size(), name.size())))};
  if (around.before.ends_with('_')) around.before.pop_back();
  if (around.behind.starts_with('_')) around.behind.erase(0, 1);
  return around;
}

bool IsOfModel(const AroundToken& around, const std::string& model,
               const std::vector<std::string>& quants) {
  if (quants.empty()) {
    return (around.before == model && around.behind.empty()) ||
           (around.before.empty() && around.behind == model);
  }
  return std::ranges::any_of(quants, [&](const std::string& quant) {
    return (around.before == model + "_" + quant && around.behind.empty()) ||
           (around.before == quant && around.behind == model);
  });
}

std::string FamiliesIn(const core::Families& families, std::string_view name) {
  std::string found;
  for (const auto& family : families.all()) {
    if (family->token.empty() || name.find(family->token) == std::string_view::npos) continue;
    found += (found.empty() ? "" : ", ") + family->name;
  }
  return found;
}

core::Error BadFile(std::string_view name, const std::string& reason) {
  return {"bad_file_name", fmt::format("{}: {}", name, reason)};
}

}  // namespace

std::vector<std::string> QuantNames(const core::Family& family, const core::Cells& cells) {
  const std::size_t a = family.Find("q_dtype_a"), w = family.Find("q_dtype_w");
  const std::size_t type = family.Find("q_type");
  if (a == core::kNoColumn || w == core::kNoColumn || type == core::kNoColumn) return {};
  for (const QuantRule& rule : QuantRules()) {
    if (cells[a].starts_with(rule.a) && cells[w].starts_with(rule.w) &&
        cells[type].starts_with(rule.type)) {
      return rule.names;
    }
  }
  return {};
}

core::Status CheckModelName(const core::Families& families, const core::Family& family,
                            std::string_view model) {
  const auto bad = [&](const std::string& reason) {
    return core::Error{"bad_model_name", fmt::format("'{}': {}", model, reason)};
  };
  if (model.empty()) return bad("a file needs the model's name");
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (const std::size_t at = model.find_first_not_of(kLetters); at != std::string_view::npos) {
    return bad(
        fmt::format("the character at position {} is none of a file's name here: letters, "
                    "digits, '.', '_' and '-'",
                    at + 1));
  }
  if (model.front() == '.' || model.front() == '-') return bad("it begins with a mark");
  if (model.find(kUntuned) != std::string_view::npos) {
    return bad("AITER reads no file with 'untuned' in its name");
  }
  const std::string holders =
      FamiliesIn(families, fmt::format("{}_{}{}", model, family.token, kCsv));
  if (holders == family.name) return core::Ok();
  return bad("the name of its file would belong to " + holders);
}

core::Result<std::string> FileForModel(const core::Family& family, std::string_view model,
                                       const std::vector<std::string>& quants,
                                       std::span<const std::string> names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.find('/') == std::string::npos) continue;  // a default file is nobody's
    if (IsOfModel(SplitAtToken(family, name), Plain(model), quants)) found.push_back(name);
  }
  if (found.size() > 1) {
    return core::Error{"ambiguous_file", fmt::format("{} are all {}'s of {}: --file says which",
                                                     fmt::join(found, ", "), model, family.name)};
  }
  if (!found.empty()) return found.front();
  const std::string quant = quants.empty() ? "" : quants.front() + "_";
  return fmt::format("{}/{}_{}{}{}", kModelConfigs, model, quant, family.token, kCsv);
}

core::Status CheckFileName(const core::Families& families, const core::Family& family,
                           std::string_view name) {
  if (name == family.file) return core::Ok();
  const std::string folder = std::string(kModelConfigs) + "/";
  if (!name.starts_with(folder) || name.find('/', folder.size()) != std::string_view::npos) {
    return BadFile(name, fmt::format("AITER reads {} and what lies directly in {}", family.file,
                                     kModelConfigs));
  }
  if (!name.ends_with(kCsv)) return BadFile(name, "AITER reads names that end in .csv");
  if (name.find(kUntuned) != std::string_view::npos) {
    return BadFile(name, "AITER passes over a name with 'untuned' in it");
  }
  const std::string holders = FamiliesIn(families, name);
  if (holders == family.name) return core::Ok();
  return BadFile(
      name, holders.empty()
                ? fmt::format("the name of a table of {} holds '{}'", family.name, family.token)
                : fmt::format("its name makes it a table of {}, not of {}", holders, family.name));
}

}  // namespace tunehub::agent
