// Checks that a row's kernels belong to its family. The family file lists the prefixes of kernel
// names (`signature.kernel_prefixes`, `modules`) and the libtypes.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/family/families.h"
#include "core/row/row.h"

namespace tunehub::core {

// "_ZN5aiter42fp8gemm_bf16..." -> "fp8gemm_bf16...". Removes the lengths in mangled names, because
// they differ between kernels of one kind.
std::string_view UnmangledKernel(std::string_view kernel);

enum class KernelOf {
  kFamily,  // the kernel belongs to the family, or the family lists no kernels
  kNobody,  // no name, a name that no family lists, or a kernel of another libtype
  kOthers,  // only other families list the name
};

struct KernelVerdict {
  KernelOf of = KernelOf::kFamily;
  std::size_t column = kNoColumn;  // the column with the foreign cell
  // "a8w8_blockscale_x is a kernel of a8w8_blockscale, not of a8w8"; "" for kFamily.
  std::string detail;

  // "unknown_kernel" or "kernel_of_another_family". Precondition: not kFamily.
  std::string_view code() const;
};

// Judges rows of one family. A kernel's name belongs to all families that list its longest matching
// prefix. A family that lists no prefix accepts every name that belongs to no other family.
class KernelJudge {
 public:
  // `families` and `family` must outlive the judge.
  KernelJudge(const Families& families, const Family& family)
      : families_(families), family_(family) {}

  // `cells`: in canonical text. If the family has several kernel columns, returns the worst
  // verdict.
  KernelVerdict Of(const Cells& cells);

 private:
  const KernelVerdict& OfName(std::string_view kernel);
  KernelVerdict OfLibtype(const Cells& cells) const;

  const Families& families_;
  const Family& family_;
  std::map<std::string, KernelVerdict, std::less<>> by_name_;  // rows repeat a few names
};

// Makes a competing row with a foreign kernel unmeasured, with the verdict as its reason. The hub
// then serves the row only if its shape key has no measurement.
void Demote(const KernelVerdict& verdict, Row& row);

}  // namespace tunehub::core
