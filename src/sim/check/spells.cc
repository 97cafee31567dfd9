#include "sim/check/spells.h"

#include <fmt/format.h>

#include "sim/text.h"

namespace phalanx::sim {

void SpellsCheck::PodChanged(const std::string& uid, const ApiPod* pod) {
  if (pod) group_of_pod_[uid] = pod->spec.group;
  dirty_.insert(group_of_pod_[uid]);
}

bool SpellsCheck::CanLeave(const std::string& group) const {
  for (const ApiPod* pod : world_.api().PodsOfGroup(group)) {
    if (pod->TakesRoom() && !pod->spec.job_owned) return false;
  }
  return true;
}

void SpellsCheck::Follow(Spell& spell, const std::string& group) {
  int64_t placed = 0;
  int64_t bound = 0;
  for (const ApiPod* pod : world_.api().PodsOfGroup(group)) {
    const bool lives = pod->TakesRoom() && !pod->deleting && pod->spec.ours;
    bound += lives ? 1 : 0;
    placed += lives || pod->phase == PodPhase::kSucceeded ? 1 : 0;
  }
  int64_t min = 0;
  if (bound > 0 && !spell.whole) {
    if (std::optional<GangView> view = world_.ViewOf(group)) min = view->min;
  }
  if (bound > 0 && placed >= min) spell.whole = true;
  if (bound == 0) spell.whole = false;
  spell.partial = bound > 0 && placed < min && !spell.whole;
  if (!spell.partial) spell.lasted = {};
}

void SpellsCheck::AfterInstant() {
  const Duration now = world_.queue().elapsed();
  const Duration passed = now - last_instant_;
  last_instant_ = now;
  const Adapter& adapter = world_.adapter();
  const bool acts = adapter.connected() && adapter.leading();
  const bool stream = std::exchange(epochs_, adapter.epochs()) != adapter.epochs();
  const Duration most = world_.scenario().partial_bound;
  for (auto& [group, spell] : spells_) {
    if (!spell.partial) continue;
    if (stream) spell.lasted = {};  // a new epoch has its own time for it
    if (acts) spell.lasted = spell.lasted + passed;
    if (spell.lasted <= most || spell.told || !CanLeave(group)) continue;
    spell.told = true;
    Fail(group, fmt::format("is part-bound for more than {}", DurationText(most)));
  }
  for (const std::string& group : dirty_) {
    if (!group.empty()) Follow(spells_[group], group);
  }
  dirty_.clear();
}

bool SpellsCheck::PartialAtRest(const std::string& group) const {
  auto it = spells_.find(group);
  if (it == spells_.end() || !it->second.partial) return false;
  if (world_.adapter().pipeline().Busy(group)) return false;
  for (const ApiPod* pod : world_.api().PodsOfGroup(group)) {
    if (pod->deleting) return false;
  }
  return true;
}

}  // namespace phalanx::sim
