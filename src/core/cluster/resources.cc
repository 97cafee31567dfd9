#include "core/cluster/resources.h"

#include <algorithm>

#include "core/base/check.h"
#include "phalanx/device_share.h"

namespace phalanx {
namespace {

using Entries = std::vector<std::pair<ResourceId, int64_t>>;

// a + factor * b, sorted by id, without zeros.
Entries Merge(const Entries& a, const Entries& b, int64_t factor) {
  Entries out;
  out.reserve(a.size() + b.size());
  auto ia = a.begin();
  auto ib = b.begin();
  while (ia != a.end() || ib != b.end()) {
    const bool take_a = ib == b.end() || (ia != a.end() && ia->first <= ib->first);
    const bool take_b = ia == a.end() || (ib != b.end() && ib->first <= ia->first);
    const ResourceId id = take_a ? ia->first : ib->first;
    const int64_t amount = (take_a ? ia->second : 0) + factor * (take_b ? ib->second : 0);
    if (take_a) ++ia;
    if (take_b) ++ib;
    PHALANX_CHECK(amount >= 0, "resource {} would be {}", id.value(), amount);
    if (amount != 0) out.emplace_back(id, amount);
  }
  return out;
}

}  // namespace

Resources Resources::From(const QuantityMap& quantities, ResourceNames& names) {
  Resources out;
  for (const auto& [name, amount] : quantities) {
    PHALANX_CHECK(amount >= 0, "{} is {}", name, amount);
    if (name.starts_with(kShareOf)) {
      PHALANX_CHECK(amount < kWholeDevice && !out.share_.Any(), "{} is {}", name, amount);
      if (amount > 0)
        out.share_ = {names.Intern(name.substr(kShareOf.size())), static_cast<int32_t>(amount)};
      continue;
    }
    const ResourceId id = names.Intern(name);
    if (amount != 0) out.entries_.emplace_back(id, amount);
  }
  std::sort(out.entries_.begin(), out.entries_.end());
  return out;
}

int64_t Resources::Get(ResourceId id) const {
  for (const auto& [entry, amount] : entries_) {
    if (entry == id) return amount;
  }
  return 0;
}

Resources Resources::InWholeDevices() const {
  Resources out;
  out.entries_ = share_.Any() ? Merge(entries_, {{share_.device, 1}}, 1) : entries_;
  return out;
}

void Resources::Add(const Resources& other, int64_t times) {
  entries_ = Merge(entries_, other.entries_, times);
}

void Resources::Subtract(const Resources& other) { entries_ = Merge(entries_, other.entries_, -1); }

QuantityMap Resources::ToMap(const ResourceNames& names) const {
  QuantityMap out;
  for (const auto& [id, amount] : entries_) out.emplace(names.Name(id), amount);
  if (share_.Any()) out.emplace(std::string(kShareOf) + names.Name(share_.device), share_.milli);
  return out;
}

}  // namespace phalanx
