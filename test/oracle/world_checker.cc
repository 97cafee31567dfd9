#include "oracle/world_checker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace phalanx::oracle {
namespace {

constexpr int32_t kDevices = 4;  // of a host
constexpr int64_t kJudgedEvery = 500;
constexpr Inside kAll[] = {Inside::kAnywhere, Inside::kRack, Inside::kHost};

const char* Name(Inside level) {
  constexpr const char* kNames[] = {"", "rack", "host"};
  return kNames[static_cast<size_t>(level)];
}

// Where segments may lie, best first: from the preferred level to the next coarser ones, down to
// the required one. A preferred level coarser than the required one is none.
std::vector<Inside> Tried(Inside required, Inside preferred) {
  std::vector<Inside> out;
  for (int level = static_cast<int>(preferred); level > static_cast<int>(required); --level) {
    out.push_back(static_cast<Inside>(level));
  }
  out.push_back(required);
  return out;
}

Racks DividedBy(Racks racks, int32_t devices) {
  for (Rack& rack : racks) {
    for (int32_t& free : rack) free /= devices;
  }
  return racks;
}

Racks AllFree(Racks racks) {
  for (Rack& rack : racks) std::fill(rack.begin(), rack.end(), kDevices);
  return racks;
}

}  // namespace

void Coverage::Print(const std::string& what) const {
  std::printf(
      "oracle: %s: %lld worlds, %lld gangs, %lld fit (%lld in segments, %lld judged), %lld never, "
      "%lld splits tried one by one\n",
      what.c_str(), static_cast<long long>(worlds), static_cast<long long>(gangs),
      static_cast<long long>(fits), static_cast<long long>(segmented),
      static_cast<long long>(judged), static_cast<long long>(never),
      static_cast<long long>(splits));
}

std::string WorldChecker::Ask::Describe() const {
  return fmt::format("{} members, required '{}', segments of {}, required '{}', preferred '{}'\n",
                     members, Name(required), size, Name(segment_required),
                     Name(segment_preferred));
}

void WorldChecker::Check(Racks racks) {
  for (Rack& rack : racks) std::shuffle(rack.begin(), rack.end(), random_);
  std::shuffle(racks.begin(), racks.end(), random_);
  ++coverage_.worlds;
  Load(racks);
  for (int32_t devices = 1; devices <= kDevices; ++devices) {
    CheckDevices(racks, devices);
    if (testing::Test::HasFatalFailure()) return;
  }
}

void WorldChecker::Load(const Racks& racks) {
  world_ = {};
  for (size_t r = 0; r < racks.size(); ++r) {
    const LabelMap labels = {{kRackKey, fmt::format("r{}", r)}};
    for (size_t h = 0; h < racks[r].size(); ++h) {
      world_.AddHost(fmt::format("r{}-h{}", r, h), labels, kDevices, kDevices - racks[r][h]);
    }
  }
  std::vector<std::string> names;  // in the order of Split::members
  for (const NodeObject& node : world_.nodes) names.push_back(node.name);
  std::shuffle(world_.nodes.begin(), world_.nodes.end(), random_);
  world_.roles = {{{{kGpu, 1}}, {}, 1, {}}};
  loaded_ = Search(world_);
  for (size_t i = 0; i < names.size(); ++i) {
    ASSERT_EQ(loaded_.cluster->topology().hosts()[i].name, names[i]) << "hosts are not by name";
  }
}

void WorldChecker::CheckDevices(const Racks& racks, int32_t devices) {
  const EverySplit now(DividedBy(racks, devices));
  coverage_.splits += now.tried();
  now_ = &now;
  const Racks empty = DividedBy(AllFree(racks), devices);
  ever_ = &empty_.try_emplace(empty, empty).first->second;
  most_ = {now.slots(), now.largest_rack(), kDevices / devices};
  CheckSizes({0, Inside::kAnywhere, Inside::kAnywhere, Inside::kAnywhere, 1}, devices);
  for (const Inside required : kAll) {
    for (const Inside preferred : kAll) {
      // One size more than any domain of the required level has room for.
      for (int32_t size = 2; size <= most_[static_cast<size_t>(required)] + 1; ++size) {
        CheckSizes({0, Inside::kAnywhere, required, preferred, size}, devices);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

void WorldChecker::CheckSizes(Ask ask, int32_t devices) {
  Role& role = world_.roles[0];
  role.requests[kGpu] = devices;
  role.segment = {ask.size, Name(ask.segment_required), Name(ask.segment_preferred)};
  loaded_.request.roles[0].shape = InternRole(*loaded_.cluster, role);
  for (const Inside required : kAll) {
    ask.required = required;
    const int32_t last = most_[static_cast<size_t>(required)] + ask.size;
    for (ask.members = ask.size; ask.members <= last; ask.members += ask.size) {
      CheckGang(ask);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  ask.required = Inside::kAnywhere;
  if (ask.size == 1) {
    for (ask.members = 1; ask.members <= now_->slots(); ++ask.members) CheckWishes(ask);
  } else {
    ask.members = ask.size + 1;  // which the size does not divide
    CheckGang(ask);
  }
}

void WorldChecker::CheckGang(const Ask& ask) {
  ++coverage_.gangs;
  loaded_.request.required_level = Name(ask.required);
  loaded_.request.roles[0].count = ask.members;
  loaded_.answer = Place(*loaded_.cluster, loaded_.request);
  const Split* expected = Expected(*now_, ask);
  if ((loaded_.answer.placement() != nullptr) != (expected != nullptr)) {
    FAIL() << (expected != nullptr ? "refused, but it fits: " : "placed, but nothing fits: ")
           << ask.Describe() << world_.Describe();
  }
  if (expected != nullptr) {
    CheckFit(ask, *expected);
  } else {
    CheckRefusal(ask);
  }
}

// A preferred level of the gang changes no answer, nor does one that no node has.
void WorldChecker::CheckWishes(const Ask& ask) {
  for (const char* preferred : {"rack", "host", "spine"}) {
    loaded_.request.preferred_level = preferred;
    CheckGang(ask);
  }
  loaded_.request.preferred_level.clear();
}

void WorldChecker::CheckFit(const Ask& ask, const Split& expected) {
  ++coverage_.fits;
  coverage_.segmented += ask.size > 1;
  const Placement& got = *loaded_.answer.placement();
  Split placed;
  placed.racks = got.touched[0];
  placed.hosts = got.touched[1];
  for (const SlotsOnHost& slot : got.slots) {
    placed.members[slot.host.index()] = static_cast<int8_t>(slot.count);
  }
  const bool same = placed.racks == expected.racks && placed.hosts == expected.hosts &&
                    placed.members == expected.members;
  if (!same || got.proven != ProvenThrough::kAll) {
    FAIL() << ask.Describe() << world_.Describe() << "got      "
           << testing::PrintToString(placed.members) << "\nexpected "
           << testing::PrintToString(expected.members) << "\nproven "
           << static_cast<int>(got.proven);
  }
  if (coverage_.fits % kJudgedEvery == 0) Judged(ask);
}

void WorldChecker::Judged(const Ask& ask) {
  ++coverage_.judged;
  world_.required = loaded_.request.required_level;
  world_.roles[0].count = ask.members;
  EXPECT_TRUE(Judge(world_, loaded_).empty()) << ask.Describe() << world_.Describe();
}

void WorldChecker::CheckRefusal(const Ask& ask) {
  const Reason& reason = *loaded_.answer.refusal();
  const bool never = Expected(*ever_, ask) == nullptr;
  coverage_.never += never;
  if (reason.never != never || reason.proven != ProvenThrough::kFeasibility) {
    FAIL() << ask.Describe() << world_.Describe() << "never " << reason.never << ", expected "
           << never << "; proven " << static_cast<int>(reason.proven);
  }
}

const Split* WorldChecker::Expected(const EverySplit& every, const Ask& ask) {
  if (ask.members % ask.size != 0) return nullptr;
  for (const Inside level : Tried(ask.segment_required, ask.segment_preferred)) {
    const Split* best = every.Best(ask.members, {ask.required, level, ask.size});
    if (best != nullptr) return best;
  }
  return nullptr;
}

}  // namespace phalanx::oracle
