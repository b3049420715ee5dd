#include "server/insight/search_places.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "core/base/text.h"
#include "core/shapes/known_models.h"
#include "core/shapes/products.h"

namespace tunehub::server {
namespace {

struct Page {
  std::string_view words;  // a typed word is the beginning of one of them
  const char *title, *view, *query;
};

constexpr Page kPages[] = {
    {"slower regressions", "What got slower", "changes", "kind=slower&from=7d"},
    {"faster", "What got faster", "changes", "kind=faster&from=7d"},
    {"missing untuned tune gaps", "To tune", "model", "tab=tune"},
    {"coverage home models products", "Coverage of all models", "", ""},
    {"map layers", "Map of layers", "model", "tab=map"},
    {"roofline", "Roofline", "model", "tab=roofline"},
    {"pin lock build", "Pin", "model", "tab=pin"},
    {"history trends", "History", "model", "tab=history"},
    {"changes changed revisions", "Changes", "changes", ""},
    {"runs reverts imports compare", "Runs", "changes", "list=runs"},
    {"kernels families", "Kernels", "kernels", ""},
    {"fleet devices agents queue jobs drift parked", "Fleet", "fleet", ""},
    {"api openapi", "API", "api", ""},
    {"audit", "Audit", "audit", ""},
};
constexpr std::string_view kIgnored[] = {"a",  "for", "got", "in", "is",
                                         "of", "on",  "the", "to", "what"};

// More words or candidates would cost time and help nobody.
constexpr std::size_t kMostWords = 8, kMostCandidates = 12;
constexpr std::size_t kLeastLetters = 2;  // of a word that is a part of a name

// In the order of a title.
enum Kind : std::size_t { kPage, kLayer, kModel, kFamily, kProduct, kKinds };
constexpr const char* kParameters[kKinds] = {"", "layer", "model", "family", "device"};
constexpr const char* kTitleBefore[kKinds] = {"", "", " of ", "", " on "};

// A page, layer, model, family or product, and the words of the text that name it.
struct Thing {
  Kind kind;
  std::string title, value;
  const Page* page = nullptr;
  unsigned words = 0;  // a bit for each word
  bool exact = false;  // these words are its whole name
};
using Chosen = std::array<const Thing*, kKinds>;  // null: none of this kind

class PlaceFinder {
 public:
  PlaceFinder(const Definitions& definitions, std::string_view text, std::size_t limit)
      : definitions_(definitions), whole_(FoldedText(text)), limit_(limit) {
    ReadWords(text);
  }

  PlaceHits Find() {
    LookAtModels();
    for (const Page& page : kPages) {
      const auto begins = [&](const std::string& word) {
        return word.size() > kLeastLetters &&
               std::ranges::any_of(core::SplitAt(page.words, " "),
                                   [&](std::string_view it) { return it.starts_with(word); });
      };
      Look({kPage, page.title, "", &page}, begins);
    }
    for (const core::Device& device : definitions_.targets.devices().all()) {
      if (!device.product.empty())
        Look({kProduct, device.product, device.product},
             [&](const std::string& word) { return IsCalled(device, word); });
    }
    for (const auto& family : definitions_.families.all())
      Look({kFamily, family->name, family->name},
           [&](const std::string& word) { return Holds(family->name, word); });
    for (auto& it : things_) {
      std::ranges::stable_sort(it, std::greater(), [](const Thing& one) {
        return std::pair(std::popcount(one.words), one.exact);
      });
      if (it.size() > kMostCandidates) it.erase(it.begin() + kMostCandidates, it.end());
    }
    Chosen chosen{};
    if (!words_.empty() && words_.size() <= kMostWords) Choose(0, chosen);
    std::ranges::stable_sort(found_, {}, [](const auto& it) { return it.first; });
    for (auto& [parts, place] : found_) {
      if (hits_.places.size() < limit_) hits_.places.push_back(std::move(place));
    }
    return std::move(hits_);
  }

 private:
  // Reads "tp 8" and an engine's name as context, and the other words as words.
  void ReadWords(std::string_view text) {
    for (const std::string_view part : core::SplitAt(text, " ,\t")) {
      std::string word = FoldedText(part);
      const bool awaits_tp = !words_.empty() && words_.back() == "tp";
      const auto tp = core::ParseInt(awaits_tp                ? word
                                     : word.starts_with("tp") ? word.substr(2)
                                                              : "");
      if (tp && *tp > 0) {
        if (awaits_tp) words_.pop_back();
        context_["tp"] = std::to_string(*tp);
      } else if (std::ranges::count(definitions_.engine_reads, word, &core::EngineReads::name)) {
        context_["engine"] = word;
      } else if (!word.empty() && std::ranges::count(kIgnored, word) == 0) {
        words_.push_back(std::move(word));
      }
    }
  }

  template <typename IsNamed>
  void Look(Thing thing, const IsNamed& is_named) {
    std::string joined;
    for (std::size_t i = 0; i < std::min(words_.size(), kMostWords); ++i) {
      if (words_[i].size() < kLeastLetters || !is_named(words_[i])) continue;
      thing.words |= 1U << i;
      joined += words_[i];
    }
    thing.exact = joined == FoldedText(thing.value);
    if (thing.words != 0) things_[thing.kind].push_back(std::move(thing));
  }

  void AddLayers(const core::Model& model) {
    const auto plan = core::ProductsOf(model, {});
    if (!plan.ok()) return;
    for (const core::ModelProduct& product : plan->products) {
      auto& models = layers_[product.layer];
      if (models.empty() || models.back() != model.name) models.push_back(model.name);
    }
  }

  // A model is found by its name, or by words of its name in any order. The model of exactly this
  // name comes first.
  void LookAtModels() {
    std::vector<std::string> others;
    for (const core::Model& model : core::KnownModels(definitions_.models)) {
      const std::string names[] = {FoldedText(model.name),
                                   FoldedText(core::HuggingFaceName(model))};
      const auto is_named = [&](const std::string& text) {
        return std::ranges::any_of(
            names, [&](const std::string& it) { return it.find(text) != std::string::npos; });
      };
      const auto is_word = [&](const std::string& it) {
        return it.size() >= kLeastLetters && is_named(it);
      };
      if (std::ranges::count(names, whole_))
        hits_.models.push_back(model.name);
      else if (!words_.empty() && (is_named(whole_) || std::ranges::all_of(words_, is_word)))
        others.push_back(model.name);
      Look({kModel, model.title.empty() ? model.name : model.title, model.name}, is_named);
      AddLayers(model);
    }
    hits_.models.insert(hits_.models.end(), others.begin(), others.end());
    if (hits_.models.size() > limit_) hits_.models.resize(limit_);
    for (const auto& [layer, models] : layers_) {
      Look({kLayer, layer, layer}, [&](const std::string& word) { return Holds(layer, word); });
      if (Holds(layer, whole_) && hits_.layers.size() < limit_)
        hits_.layers.push_back({layer, models});
    }
  }

  // Tries every choice of at most one thing of each kind.
  void Choose(std::size_t kind, Chosen& chosen) {
    if (kind == kKinds) return Add(chosen);
    chosen[kind] = nullptr;
    Choose(kind + 1, chosen);
    for (const Thing& it : things_[kind]) {
      chosen[kind] = &it;
      Choose(kind + 1, chosen);
    }
    chosen[kind] = nullptr;
  }

  // Adds the choice if it explains every word, and if each of its things explains a word that no
  // other thing explains.
  void Add(const Chosen& chosen) {
    unsigned all = 0, twice = 0;
    for (const Thing* const it : chosen) {
      if (it == nullptr) continue;
      twice |= all & it->words;
      all |= it->words;
    }
    const bool is_idle = std::ranges::any_of(
        chosen, [&](const Thing* it) { return it != nullptr && (it->words & ~twice) == 0; });
    if (all != (1U << words_.size()) - 1 || is_idle) return;
    if (chosen[kLayer] == nullptr) return AddPlace(chosen);
    for (const std::string& model : layers_.at(chosen[kLayer]->value)) {
      if (chosen[kModel] != nullptr && chosen[kModel]->value != model) continue;
      const Thing its_model{kModel, model, model};
      Chosen whole = chosen;
      if (whole[kModel] == nullptr) whole[kModel] = &its_model;
      AddPlace(whole);
    }
  }

  void NameContext(SearchPlace& place) const {
    for (const auto& [name, value] : context_) {
      place.title += fmt::format("{}{} {}", place.title.empty() ? "" : ", ",
                                 name == "tp" ? "TP" : name, value);
    }
  }

  static void Open(const Page& page, SearchPlace& place) {
    place.view = page.view;
    place.title = page.title + (place.title.empty() ? "" : ": " + place.title);
    for (const std::string_view pair : core::SplitAt(page.query, "&")) {
      const std::size_t equals = pair.find('=');
      if (equals != pair.npos)
        place.query[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
    }
  }

  void AddPlace(const Chosen& chosen) {
    const Page* const page = chosen[kPage] == nullptr ? nullptr : chosen[kPage]->page;
    // No page is about one family of one model.
    if (chosen[kFamily] != nullptr && chosen[kModel] != nullptr) return;
    // If all words name a model, none of them is meant as a product ("VL" is in "H100 NVL").
    if (chosen[kProduct] != nullptr && !hits_.models.empty()) return;
    SearchPlace place{"", "", context_};
    std::size_t things = 0;
    for (const Thing* const it : chosen) {
      if (it == nullptr) continue;
      ++things;
      if (it->kind == kPage) continue;
      place.title += (place.title.empty() ? "" : kTitleBefore[it->kind]) + it->title;
      place.query[kParameters[it->kind]] = it->value;
    }
    // Other members of the answer have a model, product or family alone.
    if (page == nullptr && things < 2 && context_.empty()) return;
    NameContext(place);
    if (page != nullptr) {
      Open(*page, place);
    } else if (chosen[kModel] != nullptr) {
      place.view = "model";
      place.query["tab"] = "map";
    } else if (chosen[kFamily] != nullptr) {
      place.view = "kernels";
    }
    found_.emplace_back(things, std::move(place));
  }

  const Definitions& definitions_;
  const std::string whole_;
  const std::size_t limit_;
  std::vector<std::string> words_;
  std::map<std::string, std::string> context_;
  std::map<std::string, std::vector<std::string>> layers_;  // each with its models
  std::array<std::vector<Thing>, kKinds> things_;
  std::vector<std::pair<std::size_t, SearchPlace>> found_;  // each with its number of things
  PlaceHits hits_;
};

}  // namespace

PlaceHits FindPlaces(const Definitions& definitions, std::string_view text, std::size_t limit) {
  return PlaceFinder(definitions, text, limit).Find();
}

std::string FoldedText(std::string_view text) {
  std::string folded;
  for (const char c : text) {
    const char lower = core::Lower(c);
    if ((lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'z')) folded.push_back(lower);
  }
  return folded;
}

bool Holds(std::string_view name, std::string_view folded) {
  return !folded.empty() && FoldedText(name).find(folded) != std::string::npos;
}

bool IsCalled(const core::Device& device, std::string_view folded) {
  return Holds(device.product, folded) ||
         std::any_of(device.aliases.begin(), device.aliases.end(),
                     [&](const core::DeviceName& it) { return Holds(it.name, folded); });
}

}  // namespace tunehub::server
