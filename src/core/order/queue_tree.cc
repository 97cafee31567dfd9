#include "core/order/queue_tree.h"

#include <utility>

namespace phalanx {
namespace {

constexpr size_t kTop = 0;

using Declared = std::map<std::string, DeclaredQueue>;

// By parent, children by name. Whoever is not reached from the top hangs nowhere.
std::multimap<std::string, std::string> ChildrenOf(const Declared& declared) {
  std::multimap<std::string, std::string> children;
  for (const auto& [name, says] : declared) children.emplace(says.parent, name);
  return children;
}

}  // namespace

void QueueTree::Declare(const Declared& declared) {
  queues_.assign(1, {});
  queues_[kTop].leaf = false;
  index_.clear();
  limited_ = false;
  const auto children = ChildrenOf(declared);
  queues_.push_back({});
  index_.emplace("", queues_.size() - 1);
  for (size_t parent = kTop; parent < queues_.size(); ++parent) {
    if (parent != kTop && queues_[parent].name.empty()) continue;
    const auto [first, last] = children.equal_range(queues_[parent].name);
    if (first != last) queues_[parent].leaf = false;
    for (auto child = first; child != last; ++child) {
      index_.emplace(child->second, queues_.size());
      queues_.push_back({child->second, declared.at(child->second), parent, true, 0});
      limited_ |= queues_.back().says.limit.has_value();
    }
  }
  for (const auto& [name, devices] : charged_) {
    if (const auto it = index_.find(name); it != index_.end()) AddToPath(it->second, devices);
  }
}

void QueueTree::Charge(const std::string& queue, int64_t devices) {
  if (devices == 0) return;
  const auto entry = charged_.try_emplace(queue, 0).first;
  entry->second += devices;
  if (entry->second == 0) charged_.erase(entry);
  if (const auto it = index_.find(queue); it != index_.end()) AddToPath(it->second, devices);
}

void QueueTree::AddToPath(size_t queue, int64_t devices) {
  for (;; queue = queues_[queue].parent) {
    queues_[queue].devices += devices;
    if (queue == kTop) return;
  }
}

const QueueTree::Queue* QueueTree::Find(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &queues_[it->second];
}

std::vector<const QueueTree::Queue*> QueueTree::PathUp(std::string_view name) const {
  std::vector<const Queue*> path;
  for (const Queue* queue = Find(name); queue != nullptr && queue != &queues_[kTop];
       queue = &queues_[queue->parent]) {
    path.push_back(queue);
  }
  return path;
}

const QueueTree::Queue* QueueTree::FirstOver(std::string_view name, int64_t devices) const {
  for (const Queue* queue : PathUp(name)) {
    if (queue->says.limit && queue->devices + devices > *queue->says.limit) return queue;
  }
  return nullptr;
}

}  // namespace phalanx
