#include "core/row/known_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

// Returns the length of the family's longest prefix that matches `kernel`; 0 if no prefix matches.
std::size_t ClaimedBytes(const Family& family, std::string_view kernel) {
  const std::string_view plain = UnmangledKernel(kernel);
  const std::size_t mangling = kernel.size() - plain.size();
  std::size_t longest = 0;
  const auto try_all = [&](const std::vector<std::string>& prefixes) {
    for (const std::string& prefix : prefixes) {
      if (kernel.starts_with(prefix)) longest = std::max(longest, prefix.size());
      if (plain.starts_with(prefix)) longest = std::max(longest, mangling + prefix.size());
    }
  };
  try_all(family.signature.kernel_prefixes);
  for (const Module& module : family.modules) try_all(module.kernels);
  return longest;
}

bool ListsKernels(const Family& family) {
  return !family.signature.kernel_prefixes.empty() ||
         std::ranges::any_of(family.modules, [](const Module& it) { return !it.kernels.empty(); });
}

KernelVerdict Unknown(const Family& family, const char* what, std::string_view cell) {
  return {KernelOf::kNobody, kNoColumn,
          fmt::format("{} is not a known {} in {}", Excerpt(cell), what, family.name)};
}

KernelVerdict JudgeName(const Families& families, const Family& family, std::string_view kernel) {
  std::vector<std::string_view> owners;
  std::size_t longest = 1;
  for (const auto& other : families.all()) {
    const std::size_t claimed = ClaimedBytes(*other, kernel);
    if (claimed < longest) continue;
    if (claimed > longest) owners.clear();
    longest = claimed;
    owners.push_back(other->name);
  }
  if (std::ranges::find(owners, family.name) != owners.end()) return {};
  if (!owners.empty()) {
    return {KernelOf::kOthers, kNoColumn,
            fmt::format("{} is a kernel of {}, not of {}", Excerpt(kernel),
                        fmt::join(owners, " and "), family.name)};
  }
  return ListsKernels(family) ? Unknown(family, "kernel", kernel) : KernelVerdict();
}

// True if a row of `libtype` may name the kernel. Either a module with the longest matching prefix
// accepts the libtype, or no module lists the name.
bool IsRunBy(const Family& family, std::string_view kernel, std::string_view libtype) {
  std::size_t longest = 0;
  bool runs = true;
  for (const Module& module : family.modules) {
    for (const std::string& prefix : module.kernels) {
      const bool begins = kernel.starts_with(prefix) || UnmangledKernel(kernel).starts_with(prefix);
      if (!begins || prefix.size() < longest) continue;
      const bool fits = module.libtypes.empty() ||
                        std::ranges::find(module.libtypes, libtype) != module.libtypes.end();
      runs = prefix.size() > longest ? fits : runs || fits;
      longest = prefix.size();
    }
  }
  return runs;
}

}  // namespace

std::string_view UnmangledKernel(std::string_view kernel) {
  constexpr std::string_view kMangled = "_ZN5aiter";
  if (!kernel.starts_with(kMangled)) return kernel;
  kernel.remove_prefix(kMangled.size());
  while (!kernel.empty() && std::isdigit(static_cast<unsigned char>(kernel.front())) != 0) {
    kernel.remove_prefix(1);
  }
  return kernel;
}

std::string_view KernelVerdict::code() const {
  return of == KernelOf::kOthers ? "kernel_of_another_family" : "unknown_kernel";
}

KernelVerdict KernelJudge::Of(const Cells& cells) {
  KernelVerdict worst;
  bool named = family_.kernel_columns.empty() || !ListsKernels(family_);
  for (const std::size_t column : family_.kernel_columns) {
    if (IsMissing(cells[column])) continue;
    named = true;
    const KernelVerdict& verdict = OfName(cells[column]);
    if (verdict.of <= worst.of) continue;
    worst = verdict;
    worst.column = column;
  }
  if (!named) {
    return {KernelOf::kNobody, family_.kernel_columns.front(), "the row names no kernel"};
  }
  return worst.of == KernelOf::kFamily ? OfLibtype(cells) : worst;
}

KernelVerdict KernelJudge::OfLibtype(const Cells& cells) const {
  if (family_.libtype == kNoColumn || IsMissing(cells[family_.libtype])) return {};
  const std::string_view libtype = cells[family_.libtype];
  const std::vector<std::string>& listed = family_.columns[family_.libtype].values;
  KernelVerdict verdict;
  if (!listed.empty() && std::ranges::find(listed, libtype) == listed.end()) {
    verdict = Unknown(family_, "libtype", libtype);
  } else {
    for (const std::size_t column : family_.kernel_columns) {
      if (IsMissing(cells[column]) || IsRunBy(family_, cells[column], libtype)) continue;
      verdict = Unknown(family_, "kernel of its libtype", cells[column]);
    }
  }
  verdict.column = family_.libtype;
  return verdict;
}

const KernelVerdict& KernelJudge::OfName(std::string_view kernel) {
  const auto known = by_name_.find(kernel);
  if (known != by_name_.end()) return known->second;
  return by_name_.emplace(kernel, JudgeName(families_, family_, kernel)).first->second;
}

void Demote(const KernelVerdict& verdict, Row& row) {
  if (verdict.of == KernelOf::kFamily || !Competes(row.standing)) return;
  row.standing = Standing::kUnmeasured;
  row.reason = fmt::format("{}: {}", verdict.code(), verdict.detail);
}

}  // namespace tunehub::core
