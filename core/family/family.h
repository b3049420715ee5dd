// A family: one op variant with its own tuned table, described by a JSON file of configs/families/.
// C++ knows no family and no column by name otherwise.
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

// A row's cells in the order of Family::columns, each in its canonical text ("" where missing).
using Cells = std::vector<std::string_view>;

inline constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

enum class Role {
  kTarget,     // gfx, cu_num of the measurement; part of the shape key
  kShape,      // the requested shape; part of the shape key
  kTag,        // part of the shape key; "", "0" and a missing column are the same tag
  kEngine,     // whose kernel it is: the row's provider; part of the shape key
  kDevice,     // a device's name as in an engine's file names; replaces a target
  kConfig,     // the candidate: what ran
  kObjective,  // the time in microseconds; at most one
  kError,      // share of wrong elements, 0..1 or a percent string
  kDerived,    // informational: served unchanged, never trusted
};

enum class Type {
  kGfx,      // gfx942, cpu-x86-64-v4, sm_90a; a suffix such as ":sramecc+:xnack-" is stripped
  kInteger,  // "80" and "80.0" are the same; bounds in min and max
  kNumber,   // kept as written; inf and nan allowed
  kBoolean,  // True or False; 1 and 0 are accepted
  kFlag,     // 1 or 0; True and False are accepted
  kEnum,     // one of `values`, which also order the rows; others sort behind them
  kKernel,   // a kernel's name
  kText,
  kError,     // a number or "3.8%"
  kJson,      // one JSON value without blanks; its members stay in their order
  kLine,      // a line of another table, unchanged; its cells contain no calls
  kDocument,  // JSON of any depth: stored and served, never interpreted
};

inline bool IsJson(Type type) {
  return type == Type::kJson || type == Type::kDocument;
}

// How a column takes part in a candidate's identity: rows of one shape key and one identity are
// timings of one candidate. Builds renumber ids but not names, so an id counts only if the row
// names no kernel.
enum class Identity { kAlways, kUnnamed, kNever };

// The value of a column that an older file lacks: the first rule whose conditions hold applies.
struct MissingRule {
  std::string gfx;            // "": any
  std::string kernel_prefix;  // "": any
  std::string value;
};

// AITER's lookup reads a column only in rows whose `column` has this `value`.
struct ReadWhere {
  std::string column;  // "": in all rows
  std::string value;   // canonical
};

// The order key stores a listed enum value's place in one byte and reserves two values of it.
inline constexpr std::size_t kMaxEnumValues = 254;

struct Column {
  std::string name;
  Role role = Role::kConfig;
  Type type = Type::kText;
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int32_t>::max();
  std::vector<std::string> values;   // kEnum: in the order of the rows
  std::string prefix;                // kEnum: the start of every value ("ActivationType.")
  std::vector<std::string> aliases;  // older names of the column
  std::map<std::string, std::string, std::less<>> spellings;  // kEnum: older spellings of a value
  // Empty: the column is required. The shape key's text leaves out this value.
  std::vector<MissingRule> missing;
  bool optional = false;                  // written only if a row's value differs from `missing`
  Identity identity = Identity::kAlways;  // kConfig only
  // kConfig: values that mean another operation. Rows of such a value compete only with each other.
  std::vector<std::string> key_values;
  ReadWhere read_where;  // kConfig only

  // The value if the file lacks the column, independent of other cells; "": none.
  std::string_view DefaultCell() const {
    for (const MissingRule& rule : missing) {
      if (rule.gfx.empty() && rule.kernel_prefix.empty()) return rule.value;
    }
    return {};
  }
  bool is_key() const { return is_shape() || role == Role::kTarget || role == Role::kTag; }
  // Part of the shape, as in the family's untuned table.
  bool is_shape() const {
    return role == Role::kShape || role == Role::kEngine || role == Role::kDevice;
  }
  // The value if the file lacks the column, for any kernel, on `gfx` ("": on any); "": none.
  std::string_view Absent(std::string_view gfx = {}) const {
    for (const MissingRule& rule : missing) {
      if (rule.kernel_prefix.empty() && (rule.gfx.empty() || rule.gfx == gfx)) return rule.value;
    }
    return {};
  }
};

// True if an enum cell may hold `text`: a listed value, or with a prefix also letters, digits and _
// behind it. A config column without prefix takes any name: a letter or _, then also digits and
// points. Scripts evaluate such cells.
bool IsEnumValue(const Column& column, std::string_view text);

// The columns of the formula "fmoe"; the loader requires them.
inline constexpr std::array<std::string_view, 9> kFmoeColumns = {
    "token", "model_dim", "inter_dim", "expert",  "topk",
    "dtype", "q_dtype_a", "q_dtype_w", "use_g1u1"};

// The formula behind tflops and bw, by name, and the columns it reads (core/row/roofline.h).
struct Metric {
  std::string formula;  // "gemm", "fmoe" or "none"
  std::size_t m = kNoColumn, n = kNoColumn, k = kNoColumn, batch = kNoColumn;  // "gemm"
  std::vector<double> bytes;                 // "gemm": bytes per element of A, B and the output
  std::string precision;                     // whose peak applies: "fp8"; "": see precision_column
  std::size_t precision_column = kNoColumn;  // the dtype column that names the precision
};

// If experts are split over GPUs (EP), engines pass a top-k with one extra column or none, and
// AITER removes one or none. A rule says what a lookup adds to the top-k, by engine ("": any) and
// AITER's version. Rules for newer versions come first.
struct EpRule {
  std::string engine;
  std::string aiter_from;  // the oldest AITER of the rule; "": any
  // `routed`: shared experts are apart; `fused`: they are routed like the rest. Several values if
  // the right one is unknown; empty if the lookup uses -1.
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
  std::size_t m = kNoColumn;  // the column that is padded, or searched for neighbours
  // Key columns that the lookup does not compare: of rows that are equal otherwise, it takes the
  // first.
  std::vector<std::size_t> ignored;
  std::vector<std::string> skipped_tags;  // rows with one of these tags are dropped at load
  bool last_tier_falls_back = false;  // "token_tiers": a miss at the last tier tries the tier below
  // An empty cell matches every shape, a second pass ignores the CU count, and the lowest time
  // wins.
  bool empty_matches = false;
  // Compiled tables, in which C++ chooses a kernel by a rule of its own.
  bool compiled_pow2 = false;                 // the rule rounds M up to a power of two
  std::vector<std::size_t> compiled_without;  // key columns that the compiled table lacks
  // "smallest_bound": the bounds of the lookup, ascending; own_bounds: those of some callers, by
  // the value of `op`.
  std::vector<std::int64_t> bounds;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> own_bounds;
  std::size_t op = kNoColumn;
  std::vector<EpRule> ep;             // for families with a top-k
  std::vector<std::string> only_gfx;  // lookups run on these gfx alone; empty: on all
  std::int64_t most_m = 0;            // no lookup above this M; 0: no limit
  std::vector<TiledColumn> tiles;     // "tiles": the rounding if the exact shape has no row
  // Rows of these libtypes serve their exact M only, not a smaller M that is padded to it.
  std::vector<std::string> exact_libtypes;

  // Precedence: a caller's own bounds, those of the file (kBoundsColumn), the family's.
  std::vector<std::int64_t> BoundsOf(std::string_view op_name, std::string_view of_file = {}) const;
  // True if the lookup can use the bucket: one of the bounds, any, or the "" of a file without
  // members.
  bool AsksFor(std::string_view op_name, std::string_view bucket,
               std::string_view of_file = {}) const;
};

// How to recognise a file whose name tells no family (core/table/detect.h).
struct Signature {
  std::vector<std::string> has, lacks;       // header columns
  std::vector<std::string> kernel_prefixes;  // decide among families with the same header
  bool by_kernels = false;  // the header does not suffice: a row must name such a kernel
};

// A line of AITER's log about a lookup (core/misses/miss_log.h).
struct MissLine {
  // The part of the line that reports the lookup: "shape is M:{M}, ..., not found tuned config in
  // {file}, ...". A name in braces is a column, {file} the searched table, {} a word to skip.
  std::string text;
  std::string mark;                          // a part of `text` that is rare in other log lines
  bool only_named = false;                   // an old form: counts only if {file} names this family
  std::map<std::string, std::string> cells;  // values that the line does not contain
  // Per column: the value that replaces a value of the line.
  std::map<std::string, std::map<std::string, std::string, std::less<>>> replace;
};

// How a built module finds the kernel that a row names.
enum class Dispatch {
  kDirect,         // AITER reads the table at each start; a row can call any existing kernel
  kCompiledTable,  // the table is compiled in; a new row can only change the split K
  kNameRegistry,   // read at each start; a kernel that no row named at build time raises
};

// Another spelling of a kernel's name: `prefix` in place of `stands_for`, or a suffix that the
// build omits.
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
  std::vector<std::string> libtypes;  // of rows that it accepts; empty: any
  std::vector<std::string> kernels;   // beginnings of kernel names that it accepts; empty: any
  bool by_id = false;                 // the build finds a kernel by id, not by name
  // Python files of an AITER tree that list its kernels.
  std::vector<std::string> candidates;
  // For a module with every kernel of its kind: a file or folder that shows that a tree has the
  // module.
  std::string present;
  std::vector<KernelAlias> aliases;
};

// Which matrix products of a model use this family, and how to fill its columns
// (core/shapes/model_shapes.h).
struct ProductRule {
  std::string of;                    // "dense", "batched", "experts"
  std::vector<std::string> schemes;  // of core/shapes/quantization.h; empty: all
  // Per column, the shape's text with places: "tn_{n}_{m}_{k}", "{width:256}".
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
  std::string token;  // a part of a file's name that assigns it to the family
  std::string env;    // "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE"
  std::string untuned_file;
  std::vector<std::string> untuned_columns;
  std::string tune_script, op_test;  // "": none
  std::vector<Column> columns;       // in CSV order
  std::vector<std::string> ignored;  // columns of old files, to be ignored
  double error_limit = 0.2;          // for imports that give none: the limit of AITER's table check
  double tuner_error_limit = 0.05;   // for results: the default --errRatio of the family's tuner
  Metric metric;
  Lookup lookup;
  // Columns by which AITER's table test tells a file's rows apart; empty: AITER does not test this
  // family.
  std::vector<std::size_t> table_test;
  Signature signature;
  HeatMap heat_map;
  std::vector<MissLine> misses;  // log lines of lookups without a row
  std::vector<MissLine>
      hits;  // log lines of lookups with a row and its config; empty: AITER logs none
  std::vector<Module> modules;
  // Default: by the metric. "gemm": all dense products, or batched ones if a batch is named;
  // "fmoe": the experts.
  std::vector<ProductRule> products;
  bool legacy_lookup = true;  // AITER also reads the table without gfx (false for bf16)
  // A row without a time is a choice, not a failed measurement.
  bool declared_without_time = false;
  bool tunable_lines = false;  // a row is a line of TunableOp's files (core/row/tunable_line.h)
  bool csv_lines = false;      // a row is a line of an unlisted table (core/table/detect.h)
  // Rows with default_value in this column say what runs untuned.
  std::size_t default_column = kNoColumn;  // kNoColumn: only a row's sender can say so
  std::string default_value;               // canonical

  // Derived by the loader.
  std::string source;                    // the file's text
  std::vector<std::size_t> key_columns;  // CSV order, the tag last
  std::vector<std::size_t> config_columns, error_columns, kernel_columns;
  std::vector<std::size_t> keyed_configs;  // those with key_values
  std::size_t gfx = kNoColumn, cu_num = kNoColumn, tag = kNoColumn, objective = kNoColumn;
  std::size_t engine = kNoColumn;
  std::size_t device = kNoColumn;  // a family with it has neither gfx nor cu_num
  std::size_t libtype = kNoColumn;
  std::size_t kernel_id = kNoColumn;  // the kernel's id, which differs between builds
  bool has_optional = false;

  // The index of a column by its name or an alias; kNoColumn if absent.
  std::size_t Find(std::string_view column) const;
  // The canonical header line, without line feed; optional columns only if `with_optional`.
  std::string Header(bool with_optional) const;
  std::string Sha256() const;  // of source, hex
  // The CU count in rows of a target: 0 if the family has no such column.
  int CuNumOf(int target_cu_num) const { return cu_num == kNoColumn ? 0 : target_cu_num; }
};

// Parses a family file's text; errors name it `name`. Errors: bad_family, with the file, the JSON
// pointer and the reason.
Result<Family> ParseFamily(std::string_view name, std::string_view json);

// Parts of ParseFamily; they add errors to `json`.

// Parses one column, "/columns/N", and checks its members together.
Column ParseColumn(JsonObject& json);
// Parses the members that refer to columns: metric, lookup, signature, heat map, modules, log
// lines, products. Precondition: the columns are parsed; for ParseProducts also the metric.
void ParseSections(JsonObject& json, Family& family);
void ParseProducts(JsonObject& json, Family& family);

// 1 to 64 of a-z, 0-9 and _.
bool IsModuleName(std::string_view text);

}  // namespace tunehub::core
