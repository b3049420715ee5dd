// Whether a row's kernels are its family's: by the texts that its family file says their names
// begin with (`signature.kernel_prefixes`, `modules`), and by the libtypes that it lists.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/family/families.h"
#include "core/row/row.h"

namespace tunehub::core {

// "_ZN5aiter42fp8gemm_bf16..." -> "fp8gemm_bf16...": the lengths in mangled names differ between
// kernels of one kind.
std::string_view UnmangledKernel(std::string_view kernel);

enum class KernelOf {
  kFamily,  // also where the family has or lists no kernels
  kNobody,  // no family lists its name, the row has none, or the name is not of the row's libtype
  kOthers,  // other families alone list its name
};

struct KernelVerdict {
  KernelOf of = KernelOf::kFamily;
  std::size_t column = kNoColumn;  // whose cell is not the family's
  // "a8w8_blockscale_x is a kernel of a8w8_blockscale, not of a8w8"; "": it is the family's.
  std::string detail;

  // "unknown_kernel" or "kernel_of_another_family". Precondition: it is not the family's.
  std::string_view code() const;
};

// For rows of one family. The longest prefix that a name begins with says whose it is: all
// families that list it. A family that lists none takes every name that is no other's.
class KernelJudge {
 public:
  // Both must outlive it.
  KernelJudge(const Families& families, const Family& family)
      : families_(families), family_(family) {}

  // `cells` in canonical text. The worst of several kernel columns decides.
  KernelVerdict Of(const Cells& cells);

 private:
  const KernelVerdict& OfName(std::string_view kernel);
  KernelVerdict OfLibtype(const Cells& cells) const;

  const Families& families_;
  const Family& family_;
  std::map<std::string, KernelVerdict, std::less<>> by_name_;  // rows repeat few names
};

// A row that competes with a kernel that is not its family's is unmeasured, with the verdict as its
// reason: it serves only a key that nobody has measured.
void Demote(const KernelVerdict& verdict, Row& row);

}  // namespace tunehub::core
