// One small world of racks, every gang of one role in it: the search against all ways to split the
// gang. Gangs of every size, whose members ask for 1, 2, 3 or 4 devices, with every required level,
// in segments of every size with every required and preferred level.
#ifndef PHALANX_TEST_ORACLE_WORLD_CHECKER_H_
#define PHALANX_TEST_ORACLE_WORLD_CHECKER_H_

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "oracle/every_split.h"
#include "oracle/every_world.h"
#include "oracle/small_world.h"

namespace phalanx::oracle {

struct Coverage {
  int64_t worlds = 0;
  int64_t gangs = 0;  // asked for
  int64_t fits = 0;
  int64_t segmented = 0;  // of the fits
  int64_t never = 0;      // refusals that an empty world would give too
  int64_t judged = 0;
  int64_t splits = 0;  // tried one by one

  void Print(const std::string& what) const;
};

class WorldChecker {
 public:
  explicit WorldChecker(uint64_t seed) : random_(seed) {}

  // Names are dealt to racks and hosts in an order drawn at random, so that ties fall in all ways.
  // Stops at the first difference, which is a fatal failure of the running test.
  void Check(Racks racks);

  const Coverage& coverage() const { return coverage_; }

 private:
  struct Ask {
    int32_t members = 0;
    Inside required = Inside::kAnywhere;
    Inside segment_required = Inside::kAnywhere;
    Inside segment_preferred = Inside::kAnywhere;
    int32_t size = 1;

    std::string Describe() const;
  };

  void Load(const Racks& racks);
  void CheckDevices(const Racks& racks, int32_t devices);
  // All gangs in segments of `size`, with the levels of `ask`.
  void CheckSizes(Ask ask, int32_t devices);
  void CheckGang(const Ask& ask);
  void CheckWishes(const Ask& ask);
  void CheckFit(const Ask& ask, const Split& expected);
  void CheckRefusal(const Ask& ask);
  static const Split* Expected(const EverySplit& every, const Ask& ask);
  void Judged(const Ask& ask);

  std::mt19937_64 random_;
  Coverage coverage_;
  SmallWorld world_;
  Searched loaded_;
  const EverySplit* now_ = nullptr;    // with what is free
  const EverySplit* ever_ = nullptr;   // with everything free
  std::array<int32_t, 3> most_{};      // slots of the whole world, of a rack, of a host
  std::map<Racks, EverySplit> empty_;  // by slots
};

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_WORLD_CHECKER_H_
