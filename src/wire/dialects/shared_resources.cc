#include "wire/dialects/shared_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "wire/json_read.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

constexpr size_t kMaxPools = 64;
constexpr char kQuantity[] =
    "a whole number, with k, M, G, T, Ki, Mi, Gi or Ti behind it if you like, of at most 70 T";

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// "scratch=500M"; nullopt: it can not be read.
std::optional<SharedPool> ReadPart(std::string_view part) {
  const size_t equal = part.find('=');
  if (equal == std::string_view::npos) return std::nullopt;
  const std::string_view name = Trim(part.substr(0, equal));
  const std::optional<int64_t> amount = ParseQuantity(Trim(part.substr(equal + 1)));
  if (!IsLabelValue(name) || !amount || *amount > kMaxQuantity) return std::nullopt;
  return SharedPool{std::string(name), *amount};
}

std::optional<int64_t> Capacity(const nlohmann::json* value) {
  if (value == nullptr) return std::nullopt;
  std::optional<int64_t> read = WholeNumber(*value);
  if (value->is_string()) read = ParseQuantity(value->get<std::string>());
  return read && *read >= 0 && *read <= kMaxQuantity ? read : std::nullopt;
}

std::string ShowOrNothing(const nlohmann::json* value) { return value ? Show(*value) : ""; }

}  // namespace

void ReadSharedRequests(const LabelMap& annotations, QuantityMap& requests,
                        std::vector<Problem>& problems) {
  const auto annotation = annotations.find(kSharedResourcesAnnotation);
  if (annotation == annotations.end()) return;
  const std::string field = fmt::format("metadata.annotations[{}]", kSharedResourcesAnnotation);
  QuantityMap read;
  for (std::string_view rest = annotation->second;;) {
    const size_t comma = rest.find(',');
    const std::string_view part = Trim(rest.substr(0, comma));
    const std::optional<SharedPool> one = ReadPart(part);
    if (!one || !read.emplace(std::string(kSharedPool) + one->name, one->capacity).second) {
      problems.push_back(
          {field, Clip(part),
           fmt::format("NAME=QUANTITY, each name once, with a comma between two: the name of a "
                       "shared resource and {}",
                       kQuantity)});
      return;
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::erase_if(read, [](const auto& request) { return request.second == 0; });
  requests.merge(read);
}

std::vector<SharedPool> ReadSharedPools(const nlohmann::json& json,
                                        std::vector<Problem>& problems) {
  std::vector<SharedPool> out;
  const nlohmann::json* list = FindField(json, {"spec", "sharedResources"});
  if (list == nullptr) return out;
  if (!list->is_array() || list->size() > kMaxPools) {
    problems.push_back({"spec.sharedResources", Show(*list),
                        fmt::format("a list of at most {} shared resources", kMaxPools)});
    return out;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string where = fmt::format("spec.sharedResources[{}].", i);
    const nlohmann::json* name = FindField((*list)[i], {"name"});
    const nlohmann::json* capacity = FindField((*list)[i], {"capacity"});
    const std::string text = name && name->is_string() ? name->get<std::string>() : "";
    const std::optional<int64_t> amount = Capacity(capacity);
    const bool again = std::ranges::find(out, text, &SharedPool::name) != out.end();
    if (!IsLabelValue(text) || again) {
      problems.push_back({where + "name", ShowOrNothing(name),
                          "a name of at most 63 of A-Z a-z 0-9 . _ - that none above has"});
    }
    if (!amount) problems.push_back({where + "capacity", ShowOrNothing(capacity), kQuantity});
    out.push_back({text, amount.value_or(0)});
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace phalanx::wire
