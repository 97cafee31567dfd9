// What an `expect` line may ask about: names, types and the words that a text field can have.
#ifndef PHALANX_SIM_FIELDS_H_
#define PHALANX_SIM_FIELDS_H_

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "phalanx/view.h"
#include "sim/scenario.h"

namespace phalanx::sim {

enum class FieldType {
  kText,
  kNumber,
  kTime,  // ms since the start; < and > as numbers
  kFlag,  // a bare word that must be true
  kList,  // names; = compares as sorted lists, ~ asks for an element that contains the text
};

struct FieldInfo {
  std::string name;  // ending in '.': any name with that prefix ("free.gpu")
  FieldType type;
  std::vector<std::string> words;  // of kText: all that there are; empty: any text
};

const std::vector<FieldInfo>& FieldsOf(Subject subject);
const FieldInfo* FindField(Subject subject, const std::string& name);

// All names of the contract's enums, as core/explain gives them.
const std::vector<std::string>& PhaseWords();
const std::vector<std::string>& CodeWords();
const std::vector<std::string>& CauseWords();

// "gpu" -> "nvidia.com/gpu"; other names as they are.
std::string ResourceOf(const std::string& name);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_FIELDS_H_
