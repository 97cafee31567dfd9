#include "sim/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/fields.h"
#include "sim/values.h"

namespace phalanx::sim {
namespace {

std::string ConditionText(const Condition& condition) {
  if (condition.op == CompareOp::kNone) return condition.field;
  if (condition.field == "count") return condition.text;
  std::string items = fmt::format("[{}]", fmt::join(condition.items, " "));
  bool list = !condition.items.empty();
  return fmt::format("{}{}{}", condition.field, OpText(condition.op),
                     list ? items : condition.text);
}

}  // namespace

Expectations::Expectations(World& world, const Checker& checker)
    : world_(world),
      checker_(checker),
      all_(world.scenario().expectations),
      open_(all_.size(), true),
      last_(all_.size()) {}

Expectations::Verdict Expectations::EvaluateOne(const Expectation& expectation,
                                                const std::string& name) {
  Reader reader(world_, checker_, expectation.subject, name);
  Verdict verdict;
  for (const Condition& condition : expectation.conditions) {
    Value value = reader.Read(condition.field);
    if (Holds(condition, value)) continue;
    const FieldInfo* field = FindField(expectation.subject, condition.field);
    bool time = field && field->type == FieldType::kTime;
    bool flag = field && field->type == FieldType::kFlag;
    verdict.holds = false;
    verdict.why.expected = ConditionText(condition);
    verdict.why.got =
        flag ? "not " + condition.field : condition.field + "=" + ValueText(value, time);
    if (!name.empty()) verdict.why.got += " (" + name + ")";
    verdict.why.state = reader.Summary();
    return verdict;
  }
  verdict.why.got = name.empty() ? "it is so" : name + " is so";
  verdict.why.state = reader.Summary();
  return verdict;
}

Expectations::Verdict Expectations::Evaluate(const Expectation& expectation) {
  if (expectation.names.empty()) return EvaluateOne(expectation, "");
  int64_t fulfilled = 0;
  Verdict last;
  Verdict first_bad;
  for (const std::string& name : expectation.names) {
    last = EvaluateOne(expectation, name);
    fulfilled += last.holds ? 1 : 0;
    if (!last.holds && first_bad.holds) first_bad = last;
    // `never` is broken by one name; all others need every name.
    if (!expectation.count && last.holds == (expectation.when == When::kNever)) return last;
  }
  if (!expectation.count) return last;
  Verdict verdict = first_bad;
  verdict.holds = Holds(*expectation.count, fulfilled);
  verdict.why.expected = expectation.count->text;
  verdict.why.got = fmt::format("count={} of {}", fulfilled, expectation.names.size());
  return verdict;
}

void Expectations::Fail(const Expectation& expectation, Failure why) {
  why.line = expectation.line;
  why.statement = expectation.text;
  failures_.push_back(std::move(why));
}

void Expectations::Look(size_t index) {
  const Expectation& expectation = all_[index];
  Verdict verdict = Evaluate(expectation);
  verdict.why.at = world_.queue().elapsed();
  switch (expectation.when) {
    case When::kAt:
      open_[index] = false;
      if (!verdict.holds) Fail(expectation, std::move(verdict.why));
      return;
    case When::kBy:
      if (verdict.holds) open_[index] = false;
      last_[index] = std::move(verdict.why);
      return;
    case When::kAlways:
      if (verdict.holds) return;
      break;
    case When::kNever:
      if (!verdict.holds) return;
      verdict.why.expected = "that at no time";
      break;
  }
  open_[index] = false;
  Fail(expectation, std::move(verdict.why));
}

void Expectations::AfterInstant(Duration next) {
  Duration now = world_.queue().elapsed();
  for (size_t i = 0; i < all_.size(); ++i) {
    if (!open_[i]) continue;
    const Expectation& e = all_[i];
    if (e.when == When::kAt) {
      if (e.to != kEnd && now <= e.to && e.to < next) Look(i);
      continue;
    }
    if (now <= e.to && e.from < next) Look(i);
    if (!open_[i] || e.to == kEnd || e.to >= next) continue;
    open_[i] = false;
    if (e.when == When::kBy) Fail(e, last_[i]);
  }
}

void Expectations::AtEnd() {
  for (size_t i = 0; i < all_.size(); ++i) {
    if (!open_[i]) continue;
    Look(i);
    if (open_[i] && all_[i].when == When::kBy) Fail(all_[i], last_[i]);
  }
}

Duration Expectations::LastTime() const {
  Duration last;
  for (const Expectation& e : all_) {
    last = std::max(last, e.from);
    if (e.to != kEnd) last = std::max(last, e.to);
  }
  return last;
}

}  // namespace phalanx::sim
