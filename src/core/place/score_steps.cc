#include "core/place/score_steps.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/ratio.h"

namespace phalanx {
namespace {

constexpr int kFractionBits = 40;
// round(2^40 × ln(j / (100 - j))) for j = 51 .. 99; ln of the inverse is its negative.
constexpr int64_t kLogarithms[] = {
    43'986'330'581,    88'007'887'806,    132'100'067'881,   176'298'608'186,   220'639'763'015,
    265'160'485'649,   309'898'619'081,   354'893'097'930,   400'184'164'341,   445'813'601'022,
    491'824'984'985,   538'263'966'095,   585'178'575'213,   632'619'567'527,   680'640'807'692,
    729'299'704'679,   778'657'705'805,   828'780'861'403,   879'740'474'081,   931'613'849'685,
    984'485'171'062,   1'038'446'520'909, 1'093'599'086'619, 1'150'054'588'711, 1'207'936'985'808,
    1'267'384'524'276, 1'328'552'220'886, 1'391'614'894'363, 1'456'770'899'447, 1'524'246'769'572,
    1'594'303'048'362, 1'667'241'696'309, 1'743'415'613'801, 1'823'241'051'730, 1'907'214'029'952,
    1'995'932'426'104, 2'090'126'261'854, 2'190'700'133'609, 2'298'794'146'748, 2'415'873'971'616,
    2'543'868'507'063, 2'685'388'964'453, 2'844'095'011'280, 3'025'345'070'926, 3'237'444'894'870,
    3'494'307'140'166, 3'822'010'928'771, 4'279'101'670'987, 5'052'387'706'247};

int64_t LogarithmOf(int j) {
  if (j == 50) return 0;
  return j > 50 ? kLogarithms[j - 51] : -kLogarithms[49 - j];
}

// ceil(scale × logarithm)
int64_t Scaled(int64_t scale, int64_t logarithm) {
  const Int128 product = Int128{scale} * logarithm;
  const Int128 one = Int128{1} << kFractionBits;
  // Shifts round down; changes are whole, so that the least one is rounded up.
  return static_cast<int64_t>((product + one - 1) >> kFractionBits);
}

}  // namespace

ScoreSteps::ScoreSteps(int64_t scale) {
  PHALANX_CHECK(scale > 0 && scale < int64_t{1} << 50, "a scale of {}", scale);
  for (int j = 1; j < 100; ++j) least_[static_cast<size_t>(j - 1)] = Scaled(scale, LogarithmOf(j));
}

int32_t ScoreSteps::ScoreOf(int64_t change) const {
  return static_cast<int32_t>(std::upper_bound(least_.begin(), least_.end(), change) -
                              least_.begin());
}

}  // namespace phalanx
