#include "core/cluster/ledger.h"

#include <algorithm>

#include "core/base/check.h"

namespace phalanx {
namespace {

const Resources& None() {
  static const Resources none;
  return none;
}

}  // namespace

void Ledger::Book(PodId pod, NodeId node, BookingKind kind, const Resources& amount,
                  const Talk& talk) {
  PHALANX_CHECK(pod.valid() && node.valid(), "pod {} on node {}", pod.value(), node.value());
  Drop(pod);
  if (amount.share().Any()) {
    shared_.Take(pod, node, amount.share());
  } else {
    shared_.Give(pod);
  }
  entries_.emplace(pod, Booking{node, kind, amount, talk});
  links_.Add(talk, node);
  Sums& sums = SumsOf(node);
  (kind == BookingKind::kBound ? sums.bound : sums.held).Add(amount);
  changes_.Note(node);
}

void Ledger::Release(PodId pod) {
  Drop(pod);
  shared_.Give(pod);
}

void Ledger::Drop(PodId pod) {
  const auto it = entries_.find(pod);
  if (it == entries_.end()) return;
  Sums& sums = SumsOf(it->second.node);
  (it->second.kind == BookingKind::kBound ? sums.bound : sums.held).Subtract(it->second.amount);
  links_.Remove(it->second.talk, it->second.node);
  changes_.Note(it->second.node);
  entries_.erase(it);
}

void Ledger::SetTalk(PodId pod, const Talk& talk) {
  const auto it = entries_.find(pod);
  if (it == entries_.end() || it->second.talk == talk) return;
  links_.Remove(it->second.talk, it->second.node);
  links_.Add(talk, it->second.node);
  it->second.talk = talk;
}

std::optional<Booking> Ledger::Find(PodId pod) const {
  const auto it = entries_.find(pod);
  if (it == entries_.end()) return std::nullopt;
  return it->second;
}

const Resources& Ledger::bound(NodeId node) const {
  return node.index() < sums_.size() ? sums_[node.index()].bound : None();
}

const Resources& Ledger::held(NodeId node) const {
  return node.index() < sums_.size() ? sums_[node.index()].held : None();
}

int64_t Ledger::Used(NodeId node, ResourceId resource) const {
  return bound(node).Get(resource) + held(node).Get(resource) + shared_.Count(node, resource);
}

bool Ledger::CheckSums() const {
  std::vector<Sums> fresh(sums_.size());
  LinkUsage links;
  for (const auto& [pod, booking] : entries_) {
    if (booking.node.index() >= fresh.size()) return false;
    Sums& sums = fresh[booking.node.index()];
    (booking.kind == BookingKind::kBound ? sums.bound : sums.held).Add(booking.amount);
    links.Add(booking.talk, booking.node);
  }
  return links == links_ && shared_.Check() &&
         std::equal(fresh.begin(), fresh.end(), sums_.begin(), [](const Sums& a, const Sums& b) {
           return a.bound == b.bound && a.held == b.held;
         });
}

Ledger::Sums& Ledger::SumsOf(NodeId node) {
  if (node.index() >= sums_.size()) sums_.resize(node.index() + 1);
  return sums_[node.index()];
}

}  // namespace phalanx
