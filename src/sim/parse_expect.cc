// `expect [WHEN] SUBJECT [NAMES] CONDITION…`
#include <fmt/format.h>

#include <algorithm>

#include "sim/fields.h"
#include "sim/parse_line.h"

namespace phalanx::sim {
namespace {

const std::map<std::string, Subject>& Subjects() {
  static const auto* const kSubjects = new std::map<std::string, Subject>{
      {"gang", Subject::kGang}, {"job", Subject::kGang},        {"pod", Subject::kPod},
      {"node", Subject::kNode}, {"cluster", Subject::kCluster}, {"stats", Subject::kStats}};
  return *kSubjects;
}

bool IsTimeWord(const Word& word) {
  if (word.op == CompareOp::kNone) return word.key == "always" || word.key == "never";
  return word.key == "at" || word.key == "by" || word.key == "from" || word.key == "to";
}

// Reads one of at=, by=, from=, to=, always and never.
bool ReadTimeWord(Line& line, const Word& word, Expectation& expectation) {
  if (word.op == CompareOp::kNone) {
    expectation.when = word.key == "always" ? When::kAlways : When::kNever;
    return true;
  }
  Duration& target = word.key == "from" ? expectation.from : expectation.to;
  if (word.op != CompareOp::kEqual || !ReadTimeInto(word, target)) {
    return line.Fail(word.Text(), word.key + "=" + kTimeExpected);
  }
  if (word.key == "by") expectation.when = When::kBy;
  return true;
}

bool CheckWhen(Line& line, const Expectation& e) {
  if (e.when == When::kAt && e.from.ms != 0) {
    return line.Fail(line.text(), "from= together with by=, always or never");
  }
  if (e.from > e.to)
    return line.Fail(line.text(), "a time span that does not end before it begins");
  return true;
}

bool CheckOperator(Line& line, const Word& word, FieldType type) {
  switch (type) {
    case FieldType::kFlag:
      return word.op == CompareOp::kNone || line.Fail(word.Text(), "'" + word.key + "' alone");
    case FieldType::kText:
      return word.op == CompareOp::kEqual || word.op == CompareOp::kNotEqual ||
             word.op == CompareOp::kContains ||
             line.Fail(word.Text(), word.key + " with =, != or ~ (contains) and a text");
    case FieldType::kList:
      return word.op == CompareOp::kEqual || word.op == CompareOp::kNotEqual ||
             word.op == CompareOp::kContains ||
             line.Fail(word.Text(), word.key + " with = or != and [names], or ~ and a text");
    case FieldType::kNumber:
    case FieldType::kTime:
      return (word.op != CompareOp::kNone && word.op != CompareOp::kContains) ||
             line.Fail(word.Text(), word.key + " with = != < <= > >=");
  }
  return false;
}

bool ReadValue(Line& line, const Word& word, const FieldInfo& field, Condition& out) {
  if (field.type == FieldType::kNumber) {
    std::optional<int64_t> n = ReadInteger(word.value);
    out.number = n.value_or(0);
    return n.has_value() || line.Fail(word.Text(), word.key + " and a whole number");
  }
  if (field.type == FieldType::kTime) {
    std::optional<Duration> d = ReadDuration(word.value);
    out.number = d.value_or(Duration{}).ms;
    return d.has_value() || line.Fail(word.Text(), word.key + " and " + kTimeExpected);
  }
  if (field.type == FieldType::kList && word.op != CompareOp::kContains) {
    std::optional<std::vector<std::string>> items = ReadNameList(word.value);
    out.items = items.value_or(std::vector<std::string>{});
    return items.has_value() || line.Fail(word.Text(), word.key + "=[names]");
  }
  bool known = field.words.empty() || word.op == CompareOp::kContains ||
               std::find(field.words.begin(), field.words.end(), word.value) != field.words.end();
  return known || line.FailUnknown(word.value, "a value of '" + word.key + "'", field.words);
}

bool ReadCondition(Line& line, const Word& word, Expectation& e) {
  if (word.key == "count") {
    Condition count{.field = "count", .op = word.op, .text = word.Text()};
    FieldInfo number{"count", FieldType::kNumber, {}};
    if (!CheckOperator(line, word, number.type) || !ReadValue(line, word, number, count)) {
      return false;
    }
    e.count = count;
    return true;
  }
  const FieldInfo* field = FindField(e.subject, word.key);
  if (!field) {
    std::vector<std::string> known = {"count"};
    for (const FieldInfo& f : FieldsOf(e.subject)) known.push_back(f.name);
    return line.FailUnknown(word.key, "something to expect here", known);
  }
  Condition condition{.field = word.key, .op = word.op, .text = word.value, .number = 1};
  if (!CheckOperator(line, word, field->type)) return false;
  if (field->type != FieldType::kFlag && !ReadValue(line, word, *field, condition)) return false;
  if (word.key.starts_with("excluded.")) {
    std::string cause = word.key.substr(word.key.find('.') + 1);
    const std::vector<std::string>& causes = CauseWords();
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) {
      return line.FailUnknown(cause, "a cause of exclusion", causes);
    }
  }
  e.conditions.push_back(std::move(condition));
  return true;
}

// The names that the expectation is about; the index of the first condition, 0 after an error.
size_t ReadNames(Line& line, size_t i, Expectation& e) {
  if (e.subject == Subject::kCluster || e.subject == Subject::kStats) return i;
  bool qualified = e.subject != Subject::kNode;
  std::optional<std::vector<std::string>> names = line.Names(i, "a name, or * for all", qualified);
  if (!names) return 0;
  if (*names == std::vector<std::string>{"*"}) {
    const Draft& draft = line.draft();
    if (e.subject == Subject::kGang) *names = line.scenario().groups;
    if (e.subject == Subject::kPod) names->assign(draft.pods.begin(), draft.pods.end());
    if (e.subject == Subject::kNode) names->assign(draft.nodes.begin(), draft.nodes.end());
  } else if (e.subject == Subject::kGang  ? !line.CheckGroups(*names)
             : e.subject == Subject::kPod ? !line.CheckPods(*names)
                                          : !line.CheckNodes(*names)) {
    return 0;
  }
  e.names = *names;
  return i + 1;
}

size_t ReadSubject(Line& line, size_t i, Expectation& e) {
  const std::string* word = line.Bare(i, "gang, job, pod, node, cluster or stats");
  if (!word) return 0;
  if (*word == "partial") {  // `expect never partial`: no gang
    e.names = line.scenario().groups;
    return i;
  }
  auto it = Subjects().find(*word);
  if (it == Subjects().end()) {
    std::vector<std::string> known = {"always", "never", "partial"};
    for (const auto& [name, subject] : Subjects()) known.push_back(name);
    line.FailUnknown(*word, "a subject", known);
    return 0;
  }
  e.subject = it->second;
  return ReadNames(line, i + 1, e);
}

}  // namespace

// Words about time may stand anywhere; the others are read in order.
void ParseExpect(Line& whole) {
  Expectation expectation{.line = whole.number(), .text = whole.text()};
  std::vector<Word> others;
  for (const Word& word : whole.words()) {
    if (!IsTimeWord(word)) {
      others.push_back(word);
    } else if (!ReadTimeWord(whole, word, expectation)) {
      return;
    }
  }
  Line line(whole.draft(), whole.number(), whole.text(), std::move(others));
  size_t i = CheckWhen(line, expectation) ? ReadSubject(line, 1, expectation) : 0;
  if (i == 0) return;
  for (; i < line.words().size(); ++i) {
    if (!ReadCondition(line, line.words()[i], expectation)) return;
  }
  if (expectation.conditions.empty()) {
    line.Fail(line.text(), "at least one condition, such as phase=Running or waits");
    return;
  }
  line.scenario().expectations.push_back(std::move(expectation));
}

}  // namespace phalanx::sim
