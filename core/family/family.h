// A family: one op variant with its own tuned table, described by one JSON file in
// configs/families/. Nothing else in the program knows a family, or a column, by name.
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
  kTarget,     // gfx, cu_num: where it was measured; part of the key
  kShape,      // what was asked for; part of the key
  kTag,        // part of the key; "", "0" and a missing column are the same tag
  kEngine,     // whose kernel it is, and so the row's provider; part of the key
  kDevice,     // a device's name as an engine's file names have it, in the place of a target
  kConfig,     // what ran: the candidate
  kObjective,  // the time in microseconds; at most one
  kError,      // share of wrong elements, 0..1 or a percent string
  kDerived,    // informational: served as it came, never trusted
};

enum class Type {
  kGfx,      // gfx942, cpu-x86-64-v4, sm_90a; a suffix such as ":sramecc+:xnack-" is stripped
  kInteger,  // "80" and "80.0" are the same; bounds in min and max
  kNumber,   // kept as the text it came as; inf and nan allowed
  kBoolean,  // True or False; 1 and 0 are read as such
  kFlag,     // 1 or 0; True and False are read as such
  kEnum,     // one of `values`, which also order the rows; others are accepted behind them
  kKernel,   // a kernel's name
  kText,
  kError,     // a number or "3.8%"
  kJson,      // one JSON value without blanks; its members stay in their order
  kLine,      // a line of another table, as it came; no cell of it can call anything
  kDocument,  // the same of any depth: it is carried, and nothing of it is ever run or read
};

inline bool IsJson(Type type) {
  return type == Type::kJson || type == Type::kDocument;
}

// How a column takes part in a candidate's identity (two rows with equal identity on one key are
// two timings of one candidate). Ids are renumbered between builds, names are not: so an id counts
// only where the row names no kernel.
enum class Identity { kAlways, kUnnamed, kNever };

// The value of a column that an older file lacks: the first rule whose conditions hold.
struct MissingRule {
  std::string gfx;            // "": any
  std::string kernel_prefix;  // "": any
  std::string value;
};

// The rows of which AITER's lookup reads a column: those where `column` says `value`.
struct ReadWhere {
  std::string column;  // "": of all
  std::string value;   // canonical
};

// A listed enum value's place is one byte of the order key, which keeps two for itself.
inline constexpr std::size_t kMaxEnumValues = 254;

struct Column {
  std::string name;
  Role role = Role::kConfig;
  Type type = Type::kText;
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int32_t>::max();
  std::vector<std::string> values;   // kEnum: in the order that rows must have
  std::string prefix;                // kEnum: what every value starts with ("ActivationType.")
  std::vector<std::string> aliases;  // older names of the column
  std::map<std::string, std::string, std::less<>> spellings;  // kEnum: older texts of a value
  // Empty: a file must have the column. Also the value that is left out of the key's text.
  std::vector<MissingRule> missing;
  bool optional = false;  // written only where a row of the answer has another value than `missing`
  Identity identity = Identity::kAlways;  // kConfig only
  // kConfig: values that another operation asks for. A row with one competes with rows of that
  // value alone.
  std::vector<std::string> key_values;
  ReadWhere read_where;  // kConfig only

  // What a row has where its file lacks the column, whatever else the row says; "": nothing.
  std::string_view DefaultCell() const {
    for (const MissingRule& rule : missing) {
      if (rule.gfx.empty() && rule.kernel_prefix.empty()) return rule.value;
    }
    return {};
  }
  bool is_key() const { return is_shape() || role == Role::kTarget || role == Role::kTag; }
  // What was asked for, as a family's untuned table says it.
  bool is_shape() const {
    return role == Role::kShape || role == Role::kEngine || role == Role::kDevice;
  }
  // The value of a file that lacks the column, whatever kernel ran, on the gfx ("": on any); "":
  // there is none.
  std::string_view Absent(std::string_view gfx = {}) const {
    for (const MissingRule& rule : missing) {
      if (rule.kernel_prefix.empty() && (rule.gfx.empty() || rule.gfx == gfx)) return rule.value;
    }
    return {};
  }
};

// Whether a cell of an enum may say `text`: one of its values; with a prefix also a new one, of
// letters, digits and _ behind it; in a config column without one also any name. A name begins
// with a letter or _ and goes on with these, digits and points. Scripts evaluate such cells.
bool IsEnumValue(const Column& column, std::string_view text);

// The columns that "fmoe" reads; the loader sees to it that a family with that formula has them.
inline constexpr std::array<std::string_view, 9> kFmoeColumns = {
    "token", "model_dim", "inter_dim", "expert",  "topk",
    "dtype", "q_dtype_a", "q_dtype_w", "use_g1u1"};

// The formula behind tflops and bw, by name, and the columns it reads (core/row/roofline.h).
struct Metric {
  std::string formula;  // "gemm", "fmoe" or "none"
  std::size_t m = kNoColumn, n = kNoColumn, k = kNoColumn, batch = kNoColumn;  // "gemm"
  std::vector<double> bytes;                 // "gemm": bytes per element of A, B and the output
  std::string precision;                     // the peak that applies: "fp8"; or empty:
  std::size_t precision_column = kNoColumn;  // the dtype column that says so
};

// What a lookup adds to the top-k where experts are split over GPUs: engines pass one column more
// or none, and AITER takes one off or none. By engine ("": any) and AITER's version, the newest
// first.
struct EpRule {
  std::string engine;
  std::string aiter_from;  // the oldest AITER; "": any
  // Shared experts apart, or routed like the others. Several: nobody knows which. None: the lookup
  // asks for -1.
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
  std::size_t m = kNoColumn;  // the column that is padded, or whose neighbour is taken
  // Key columns that it does not compare: of rows that are equal in all others the first is found.
  std::vector<std::size_t> ignored;
  std::vector<std::string> skipped_tags;  // rows with one of these tags are dropped at load
  bool last_tier_falls_back = false;      // "token_tiers": a miss there asks the tier below
  // An empty cell fits every shape, a second pass leaves the CU count out, the lowest time wins.
  bool empty_matches = false;
  // Kernels that are compiled in by the table and chosen in C++ by a rule of their own.
  bool compiled_pow2 = false;                 // M goes up to a power of two there
  std::vector<std::size_t> compiled_without;  // key columns that the compiled table lacks
  // "smallest_bound": what it asks for, ascending; by the value of `op` what some callers ask for.
  std::vector<std::int64_t> bounds;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> own_bounds;
  std::size_t op = kNoColumn;
  std::vector<EpRule> ep;             // of a family whose rows have a top-k
  std::vector<std::string> only_gfx;  // nothing is looked up on another; empty: on all
  std::int64_t most_m = 0;            // nothing is looked up above it; 0: there is no such limit
  std::vector<TiledColumn> tiles;     // "tiles": what it asks for where the very shape has no row
  // Rows of these libtypes serve their very M, and no other that is padded to it.
  std::vector<std::string> exact_libtypes;

  // A caller's own bounds come before those of the file (its cell of kBoundsColumn), these before
  // the usual ones.
  std::vector<std::int64_t> BoundsOf(std::string_view op_name, std::string_view of_file = {}) const;
  // Whether it ever asks for the bucket: one of the bounds, any, or the "" of a file without
  // members.
  bool AsksFor(std::string_view op_name, std::string_view bucket,
               std::string_view of_file = {}) const;
};

// How a file without a telling name is recognised (core/table/detect.h).
struct Signature {
  std::vector<std::string> has, lacks;       // header columns
  std::vector<std::string> kernel_prefixes;  // among families with the same header
  bool by_kernels = false;  // the header alone tells nothing: some row must name such a kernel
};

// A line of AITER's log about a lookup (core/misses/miss_log.h).
struct MissLine {
  // "shape is M:{M}, ..., not found tuned config in {file}, ...": the line's part that says so. A
  // name in braces is a column, {file} the table that was searched, {} a word that says nothing.
  std::string text;
  std::string mark;         // a part of `text` that hardly any other line of a log holds
  bool only_named = false;  // an old form: only where {file} names this family
  std::map<std::string, std::string> cells;  // what the line does not say
  // Per column, what is written for a value of the line.
  std::map<std::string, std::map<std::string, std::string, std::less<>>> replace;
};

// How a row reaches the kernel that it names, once a module is built.
enum class Dispatch {
  kDirect,         // AITER reads the table at each start; whatever kernel there is can be called
  kCompiledTable,  // the table is compiled in: a new row changes at most the split K
  kNameRegistry,   // read at each start, but kernels that no row named when it was built raise
};

// Another way to write the name of a kernel: with this prefix in the place of that one, or with a
// suffix that its build leaves out.
struct KernelAlias {
  std::string prefix, stands_for;
  std::string suffix;
};

// A part of AITER that is built on its own and runs kernels of this family
// (core/builds/manifest.h). A kernel of a row belongs to the first module that takes it.
struct Module {
  std::string name;     // as manifests say: "gemm_a8w8_blockscale"
  std::string library;  // as AITER builds it: "module_gemm_a8w8_blockscale"
  Dispatch dispatch = Dispatch::kDirect;
  std::vector<std::string> libtypes;  // of the rows it takes; empty: any
  std::vector<std::string> kernels;   // what the names it takes begin with; empty: any
  bool by_id = false;                 // its build finds a row's kernel by the id, not by the name
  // Python files of an AITER tree that list its kernels.
  std::vector<std::string> candidates;
  // Of a module that has every kernel of its kind: a file or folder that a tree has it by.
  std::string present;
  std::vector<KernelAlias> aliases;
};

// Which of a model's matrix products ask this family, and in which words
// (core/shapes/model_shapes.h).
struct ProductRule {
  std::string of;                    // "dense", "batched", "experts"
  std::vector<std::string> schemes;  // of core/shapes/quantization.h; empty: all
  // By column, what the shape has there: text with places, "tn_{n}_{m}_{k}", "{width:256}".
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
  std::string token;  // what makes a file name belong to the family
  std::string env;    // "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE"
  std::string untuned_file;
  std::vector<std::string> untuned_columns;
  std::string tune_script, op_test;  // "": none
  std::vector<Column> columns;       // in CSV order
  std::vector<std::string> ignored;  // columns of old files that say nothing
  double error_limit = 0.2;          // of imports that do not say: what AITER's table check allows
  double tuner_error_limit =
      0.05;  // of results: what the family's tuner calls wrong, its --errRatio
  Metric metric;
  Lookup lookup;
  // By which AITER's own table test tells a file's rows apart; empty: it leaves the family out.
  std::vector<std::size_t> table_test;
  Signature signature;
  HeatMap heat_map;
  std::vector<MissLine> misses;  // by which a log says that a lookup found no row
  std::vector<MissLine> hits;    // which it found, and what of its config; none: it says nothing
  std::vector<Module> modules;
  // A file without any has those that follow from its metric: "gemm" all dense ones, or batched
  // ones where it names a batch; "fmoe" the experts.
  std::vector<ProductRule> products;
  bool legacy_lookup = true;  // AITER reads its table without gfx too (bf16 does not)
  // A row without a time is a choice that somebody made, not a measurement that went wrong.
  bool declared_without_time = false;
  bool tunable_lines = false;  // a row is a line of TunableOp's files (core/row/tunable_line.h)
  bool csv_lines = false;      // a row is a line of a table without a family (core/table/detect.h)
  // The rows that say what runs untuned: those where this column has this value.
  std::size_t default_column = kNoColumn;  // kNoColumn: only who measured a row can say so
  std::string default_value;               // canonical

  // Derived by the loader.
  std::string source;                    // the file's text
  std::vector<std::size_t> key_columns;  // CSV order, the tag last
  std::vector<std::size_t> config_columns, error_columns, kernel_columns;
  std::vector<std::size_t> keyed_configs;  // those with key_values
  std::size_t gfx = kNoColumn, cu_num = kNoColumn, tag = kNoColumn, objective = kNoColumn;
  std::size_t engine = kNoColumn;
  std::size_t device = kNoColumn;  // where there is one, there is neither gfx nor cu_num
  std::size_t libtype = kNoColumn;
  std::size_t kernel_id = kNoColumn;  // what another build may number otherwise
  bool has_optional = false;

  // The index of a column by its name or an alias; kNoColumn where there is none.
  std::size_t Find(std::string_view column) const;
  // The canonical header line, without line feed; optional columns only if `with_optional`.
  std::string Header(bool with_optional) const;
  std::string Sha256() const;  // of source, hex
  // The CU count that a target's rows have: 0 where the family has none.
  int CuNumOf(int target_cu_num) const { return cu_num == kNoColumn ? 0 : target_cu_num; }
};

// Reads one family file's text; `name` is the file in errors. These (code "bad_family") name the
// file, the JSON pointer and the reason.
Result<Family> ParseFamily(std::string_view name, std::string_view json);

// Parts of ParseFamily. What is wrong is added to the errors of `json`.

// One column, "/columns/N": its members, and the rules that tie them together.
Column ParseColumn(JsonObject& json);
// What refers to columns by name: metric, lookup, signature, heat map, modules, log lines,
// products. Precondition: the columns are read; of ParseProducts also the metric.
void ParseSections(JsonObject& json, Family& family);
void ParseProducts(JsonObject& json, Family& family);

// 1 to 64 of a-z, 0-9 and _.
bool IsModuleName(std::string_view text);

}  // namespace tunehub::core
