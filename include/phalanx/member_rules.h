// Where the members of a role may go beside each other.
#ifndef PHALANX_MEMBER_RULES_H_
#define PHALANX_MEMBER_RULES_H_

#include <compare>
#include <cstdint>
#include <string>

namespace phalanx {

// Members in groups of `size` consecutive ranks, each group in one domain of a level. Members with
// the same request and the same segment are one role; their number is divided by the size.
struct Segment {
  int32_t size = 1;            // 1: no segments
  std::string required_level;  // level name or node label key; empty: none
  std::string preferred_level;

  friend auto operator<=>(const Segment&, const Segment&) = default;
};

// A rule of a pod for kube-scheduler about other pods, which selects the pod itself: pods of a
// namespace with equal rules are about each other.
enum class SelfRuleKind {
  kApart,     // required anti-affinity: no two of them in one domain of the key
  kTogether,  // required affinity: all of them in one domain of the key
  kSkew,      // spread constraint: no domain has so many more of them than another one
};
struct SelfRule {
  SelfRuleKind kind = SelfRuleKind::kApart;
  std::string key;       // a node label
  int32_t max_skew = 1;  // of kSkew
  std::string selector;  // as text: which pods it is about

  friend auto operator<=>(const SelfRule&, const SelfRule&) = default;
};

// Whose rule a Spread is. Those of kube-scheduler are followed as far as that is exact, and beyond
// it find out in its own plugins.
enum class SpreadBy { kAuthor, kApart, kSkew };

// How many members of a role the domains of a level may take. Hosts without a domain there take
// none.
struct Spread {
  std::string level;     // level name or node label key; empty: no rule
  int32_t at_most = 0;   // in one domain; 0: any number
  int32_t at_least = 1;  // in each domain that takes any
  bool evenly = false;   // in numbers as equal as the fewest domains allow
  SpreadBy by = SpreadBy::kAuthor;
  // SelfRule::selector, with the gang's name taken out: members with another one are another role.
  std::string whom = {};

  friend auto operator<=>(const Spread&, const Spread&) = default;
};

// All pods that a member's required affinity selects, itself among them, are in one domain. Where
// all members of a gang say the same it is a required level of the gang.
struct Together {
  std::string level;  // empty: no rule
  std::string whom;

  friend auto operator<=>(const Together&, const Together&) = default;
};

// What each member sends to the others all the time, by pattern, in MB/s. Members of a gang with
// the same traffic and segments talk to each other. See docs/policies/links.md.
struct Traffic {
  int32_t dp = 0;          // data parallel: a ring over all members
  int32_t tp = 0;          // tensor parallel: inside segments
  int32_t pp = 0;          // pipeline parallel: to the next member and the one before
  int32_t ep = 0;          // expert parallel: to all others alike
  int32_t all_to_all = 0;  // to all others alike

  bool Any() const { return *this != Traffic(); }
  friend auto operator<=>(const Traffic&, const Traffic&) = default;
};
inline constexpr int32_t kMaxTrafficMBps = 10'000'000;

// Gangs of one namespace and group that go into one domain of a level: all of them, or the start
// of those that do not fit besides waits; or, where that is only preferred, those that can.
struct Group {
  std::string name;            // empty: none
  std::string required_level;  // level name or node label key; empty: none
  std::string preferred_level;
  int32_t size = 0;  // gangs of the group that start no earlier than all are complete; 0: not told

  friend auto operator<=>(const Group&, const Group&) = default;
};

}  // namespace phalanx

#endif  // PHALANX_MEMBER_RULES_H_
