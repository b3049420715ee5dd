// A family is one kind of operation with its own tuned table. A JSON file in configs/families/
// describes the family. The C++ code contains no family's name and no family's own columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/result.h"

namespace tunehub::core {

// A row's cells in the order of Family::columns, each as canonical text ("" if missing).
using Cells = std::vector<std::string_view>;

inline constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

enum class Role {
  kTarget,     // gfx, cu_num of the measurement; part of the shape key
  kShape,      // the requested shape; part of the shape key
  kTag,        // part of the shape key; "", "0" and a missing column are the same tag
  kEngine,     // the row's provider; part of the shape key
  kDevice,     // a device's name as in an engine's file names; used instead of a target
  kConfig,     // the candidate
  kObjective,  // the time in microseconds; at most one
  kError,      // the fraction of wrong elements: 0..1, or a text in percent
  kDerived,    // informational: the hub serves the value unchanged and never relies on it
};

enum class Type {
  kGfx,      // gfx942, cpu-x86-64-v4, sm_90a; a suffix such as ":sramecc+:xnack-" is stripped
  kInteger,  // "80" and "80.0" are equal; limits in min and max
  kNumber,   // stored as written; inf and nan are allowed
  kBoolean,  // True or False; 1 and 0 are accepted
  kFlag,     // 1 or 0; True and False are accepted
  kEnum,     // one of `values`; their order is the order of rows; other values sort last
  kKernel,   // a kernel's name
  kText,
  kError,     // a number or "3.8%"
  kJson,      // one JSON value without blanks; its members keep their order
  kLine,      // an unchanged line of another table; no cell contains a function call
  kDocument,  // JSON of any depth: the hub stores and serves it, but never interprets it
};

inline bool IsJson(Type type) {
  return type == Type::kJson || type == Type::kDocument;
}

// How a column affects a candidate's identity. Rows with the same shape key and the same identity
// are timings of one candidate. Builds change ids but not names. So a kernel's id counts only if
// the row names no kernel (kUnnamed).
enum class Identity { kAlways, kUnnamed, kNever };

// The value of a column for a file that lacks it. The first rule whose conditions are true applies.
struct MissingRule {
  std::string gfx;            // "": any
  std::string kernel_prefix;  // "": any
  std::string value;
};

// AITER's lookup reads a column only in rows in which `column` has this `value`.
struct ReadWhere {
  std::string column;  // "": in all rows
  std::string value;   // canonical
};

// A row's sort key (core/row/row.h) stores the index of an enum value in one byte. Two values of
// the byte are reserved.
inline constexpr std::size_t kMaxEnumValues = 254;

struct Column {
  std::string name;
  Role role = Role::kConfig;
  Type type = Type::kText;
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int32_t>::max();
  std::vector<std::string> values;   // kEnum: in the order of the rows
  std::string prefix;                // kEnum: the prefix of every value ("ActivationType.")
  std::vector<std::string> aliases;  // older names of the column
  std::map<std::string, std::string, std::less<>> spellings;  // kEnum: older spellings of a value
  // Empty: the column is required. The shape key's text omits this value.
  std::vector<MissingRule> missing;
  bool optional = false;                  // written only if a row's value differs from `missing`
  Identity identity = Identity::kAlways;  // kConfig only
  // kConfig: values that mean another operation. Rows with such a value compete only with rows of
  // the same value.
  std::vector<std::string> key_values;
  ReadWhere read_where;  // kConfig only

  // The value for a file without the column, if no other cell affects that value; "": none.
  std::string_view DefaultCell() const {
    for (const MissingRule& rule : missing) {
      if (rule.gfx.empty() && rule.kernel_prefix.empty()) return rule.value;
    }
    return {};
  }
  bool is_key() const { return is_shape() || role == Role::kTarget || role == Role::kTag; }
  // True if the column is part of the shape, as in the family's untuned table.
  bool is_shape() const {
    return role == Role::kShape || role == Role::kEngine || role == Role::kDevice;
  }
  // The value for a file without the column, for any kernel, on `gfx` ("": any gfx); "": none.
  std::string_view Absent(std::string_view gfx = {}) const {
    for (const MissingRule& rule : missing) {
      if (rule.kernel_prefix.empty() && (rule.gfx.empty() || rule.gfx == gfx)) return rule.value;
    }
    return {};
  }
};

// True if an enum cell may contain `text`: a listed value, or the prefix followed by letters,
// digits and _. A config column without prefix accepts any name: a letter or _, then also digits
// and points. The rule is strict because scripts evaluate these cells.
bool IsEnumValue(const Column& column, std::string_view text);

// The columns of the formula "fmoe". The loader requires them.
inline constexpr std::array<std::string_view, 9> kFmoeColumns = {
    "token", "model_dim", "inter_dim", "expert",  "topk",
    "dtype", "q_dtype_a", "q_dtype_w", "use_g1u1"};

// The name of the formula for tflops and bw, and the columns that it reads (core/row/roofline.h).
struct Metric {
  std::string formula;  // "gemm", "fmoe" or "none"
  std::size_t m = kNoColumn, n = kNoColumn, k = kNoColumn, batch = kNoColumn;  // "gemm"
  std::vector<double> bytes;  // "gemm": bytes per element of A, B and the output
  std::string precision;      // the peak's precision: "fp8"; "": see precision_column
  std::size_t precision_column = kNoColumn;  // the dtype column that names the precision
};

// With experts split over GPUs (EP), a lookup may use another top-k than the model's. Engines pass
// a top-k with one extra column or none, and AITER removes one column or none. A rule gives the
// number to add to the top-k for an engine ("": any) and for versions of AITER. Rules for newer
// versions come first.
struct EpRule {
  std::string engine;
  std::string aiter_from;  // the rule's oldest AITER; "": any
  // `routed`: shared experts are separate. `fused`: the router treats them like other experts.
  // Several values: nobody knows which value is right. Empty: the lookup uses -1.
  std::vector<std::int64_t> routed, fused;
};

// A shape column that a kernel rounds up to whole tiles.
struct TiledColumn {
  std::size_t column = kNoColumn;
  std::int64_t tile = 1;
};

// How AITER finds a row at run time (core/lookup/table.h).
struct Lookup {
  std::string kind;           // one of kLookupKinds (core/family/lookup_kinds.h)
  std::size_t m = kNoColumn;  // the padded column, or the column of the neighbour search
  // Key columns that the lookup does not compare. Of rows that are equal in the other columns, it
  // takes the first.
  std::vector<std::size_t> ignored;
  std::vector<std::string> skipped_tags;  // AITER drops rows with one of these tags at load
  // "token_tiers": after a miss at the last tier (number of tokens), the lookup tries the tier
  // below
  bool last_tier_falls_back = false;
  // True: an empty cell matches every shape, a second pass ignores the CU count, and the row with
  // the lowest time wins.
  bool empty_matches = false;
  // Compiled tables, in which AITER's C++ chooses a kernel by its own rule.
  bool compiled_pow2 = false;                 // the rule rounds M up to a power of two
  std::vector<std::size_t> compiled_without;  // key columns that the compiled table lacks
  // For "smallest_bound": the bounds of the lookup, ascending. `own_bounds`: other bounds for some
  // values of the column `op`.
  std::vector<std::int64_t> bounds;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> own_bounds;
  std::size_t op = kNoColumn;
  std::vector<EpRule> ep;             // for families with a top-k
  std::vector<std::string> only_gfx;  // only these gfx run lookups; empty: all
  std::int64_t most_m = 0;            // larger M have no lookup; 0: no limit
  // for "tiles": how the lookup rounds if no row has the exact shape
  std::vector<TiledColumn> tiles;
  // Rows of these libtypes serve only their exact M. They do not match a smaller M that is padded
  // up to their M.
  std::vector<std::string> exact_libtypes;

  // Returns the first of these bounds that exists: `own_bounds` of the operation, the file's bounds
  // (kBoundsColumn), the family's `bounds`.
  std::vector<std::int64_t> BoundsOf(std::string_view op_name, std::string_view of_file = {}) const;
  // True if the lookup can use the bucket: one of the bounds, any, or "" (a file without members).
  bool AsksFor(std::string_view op_name, std::string_view bucket,
               std::string_view of_file = {}) const;
};

// How to recognise a file whose name does not identify its family (core/table/detect.h).
struct Signature {
  std::vector<std::string> has, lacks;       // header columns
  std::vector<std::string> kernel_prefixes;  // decide among families with the same header
  bool by_kernels = false;  // the header is not enough: a row must name a kernel with such a prefix
};

// A line of AITER's log about a lookup (core/misses/miss_log.h).
struct MissLine {
  // The part of the line that reports the lookup: "shape is M:{M}, ..., not found tuned config in
  // {file}, ...". A name in braces is a column, {file} is the searched table, and {} is a word to
  // skip.
  std::string text;
  std::string mark;  // a part of `text` that is rare in other log lines
  // an old form of the line; counts only if {file} names this family
  bool only_named = false;
  std::map<std::string, std::string> cells;  // values that the line does not contain
  // Per column: replacements for values of the line.
  std::map<std::string, std::map<std::string, std::string, std::less<>>> replace;
};

// How a built module finds a row's kernel.
enum class Dispatch {
  kDirect,         // AITER reads the table at each start; a row can call any existing kernel
  kCompiledTable,  // the build contains the table; a new row can only change split K
  // AITER reads the table at each start; a kernel unknown at build time raises an error
  kNameRegistry,
};

// Another spelling of a kernel's name: `prefix` instead of `stands_for`, or a suffix that the build
// omits.
struct KernelAlias {
  std::string prefix, stands_for;
  std::string suffix;
};

// A separately built part of AITER that runs kernels of this family (core/builds/manifest.h). A
// row's kernel belongs to the first module that accepts it.
struct Module {
  std::string name;     // in manifests: "gemm_a8w8_blockscale"
  std::string library;  // AITER's name: "module_gemm_a8w8_blockscale"
  Dispatch dispatch = Dispatch::kDirect;
  std::vector<std::string> libtypes;  // libtypes of rows that it accepts; empty: any
  std::vector<std::string> kernels;   // prefixes of kernel names that it accepts; empty: any
  bool by_id = false;                 // the build finds a kernel by id, not by name
  // Python files of an AITER tree that list its kernels.
  std::vector<std::string> candidates;
  // For a module that contains every kernel of its kind: a file or folder that a tree with the
  // module contains.
  std::string present;
  std::vector<KernelAlias> aliases;
};

// Which matrix products of a model use this family, and how to fill the family's columns
// (core/shapes/model_shapes.h).
struct ProductRule {
  std::string of;                    // "dense", "batched", "experts"
  std::vector<std::string> schemes;  // schemes of core/shapes/quantization.h; empty: all
  // Per column: the shape's text with places, such as "tn_{n}_{m}_{k}" or "{width:256}".
  std::map<std::string, std::string> columns;
};

struct HeatMap {
  std::string x;
  std::vector<std::string> y;
};

struct Family {
  std::string name;  // as in URLs: "a8w8_blockscale"
  std::string title;
  std::string file;   // AITER's default file: "a8w8_blockscale_tuned_gemm.csv"
  std::string token;  // a part of a file's name that identifies the family
  std::string env;    // "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE"
  std::string untuned_file;
  std::vector<std::string> untuned_columns;
  std::string tune_script, op_test;  // "": none
  std::vector<Column> columns;       // in CSV order
  std::vector<std::string> ignored;  // columns of old files that the reader ignores
  double error_limit = 0.2;          // default for imports: the limit of AITER's table check
  double tuner_error_limit = 0.05;   // for results: the default --errRatio of the family's tuner
  Metric metric;
  Lookup lookup;
  // The columns by which AITER's table test distinguishes a file's rows. Empty: AITER does not test
  // this family.
  std::vector<std::size_t> table_test;
  Signature signature;
  HeatMap heat_map;
  std::vector<MissLine> misses;  // log lines of lookups without a row
  std::vector<MissLine>
      hits;  // log lines of lookups with a row and its config; empty: AITER logs none
  std::vector<Module> modules;
  // If the family file has no rule, the metric decides. "gemm": all dense matrix products, or
  // batched ones if it names a batch. "fmoe": the experts.
  std::vector<ProductRule> products;
  bool legacy_lookup = true;  // AITER also reads the table without gfx (false for bf16)
  // True: somebody chose a row without a time. False: a row without a time is a failed measurement.
  bool declared_without_time = false;
  bool tunable_lines = false;  // a row is a line of TunableOp's files (core/row/tunable_line.h)
  bool csv_lines = false;      // a row is a line of an unlisted table (core/table/detect.h)
  // Rows with default_value in this column name the candidate that runs without tuning.
  std::size_t default_column = kNoColumn;  // kNoColumn: only a row's sender can say so
  std::string default_value;               // canonical

  // The loader derives the rest.
  std::string source;                    // the file's text
  std::vector<std::size_t> key_columns;  // CSV order, the tag last
  std::vector<std::size_t> config_columns, error_columns, kernel_columns;
  std::vector<std::size_t> keyed_configs;  // those with key_values
  std::size_t gfx = kNoColumn, cu_num = kNoColumn, tag = kNoColumn, objective = kNoColumn;
  std::size_t engine = kNoColumn;
  std::size_t device = kNoColumn;  // a family with this column has neither gfx nor cu_num
  std::size_t libtype = kNoColumn;
  std::size_t kernel_id = kNoColumn;  // the kernel's id, which differs between builds
  bool has_optional = false;

  // The index of a column by its name or an alias; kNoColumn if absent.
  std::size_t Find(std::string_view column) const;
  // The canonical header line, without line feed; optional columns only if `with_optional`.
  std::string Header(bool with_optional) const;
  std::string Sha256() const;  // SHA-256 of `source`, as hex
  // The CU count that a row of a target has: 0 if the family has no such column.
  int CuNumOf(int target_cu_num) const { return cu_num == kNoColumn ? 0 : target_cu_num; }
};

// Parses a family file's text. `name`: the file's name for errors. Errors: bad_family, with the
// file, the JSON pointer and the reason.
Result<Family> ParseFamily(std::string_view name, std::string_view json);

// The functions below are parts of ParseFamily. They add errors to `json`.

// Parses one column, "/columns/N", and checks its members together.
Column ParseColumn(JsonObject& json);
// Parses the members that refer to columns: metric, lookup, signature, heat map, modules, log
// lines, products. Precondition: the columns are parsed; for ParseProducts also the metric.
void ParseSections(JsonObject& json, Family& family);
void ParseProducts(JsonObject& json, Family& family);

// True for 1 to 64 characters of a-z, 0-9 and _.
bool IsModuleName(std::string_view text);

}  // namespace tunehub::core
