// Names of Gang objects: valid for the API server, and another one for each gang.
#include "core/explain/object_name.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace phalanx {
namespace {

std::string NameOf(const std::string& name, const std::string& source = "label") {
  return ObjectName({"team", source, name});
}

bool IsSubdomain(const std::string& name) {
  static const std::regex kLabel(
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  return name.size() <= 253 && std::regex_match(name, kLabel);
}

TEST(ObjectName, OfADnsNameIsThatNameAndItsSource) {
  EXPECT_EQ(NameOf("train"), "train.label");
  EXPECT_EQ(NameOf("web-0", "pod"), "web-0.pod");
  EXPECT_EQ(NameOf("v1.2-x"), "v1.2-x.label");
}

TEST(ObjectName, SpellsOutWhatDnsDoesNotTake) {
  EXPECT_EQ(NameOf("My_job"), "x4dyx5fjob.x.label");
  EXPECT_EQ(NameOf("a..b"), "ax2ex2eb.x.label");
  EXPECT_EQ(NameOf("max."), "max78x2e.x.label");
}

// All names of up to four of these characters, and what escaping makes of some of them.
TEST(ObjectName, NoTwoGangsShareOne) {
  const std::string alphabet = "axh.-_X4";
  std::set<std::string> names = {""};
  for (int length = 0; length < 4; ++length) {
    for (const std::string& start : std::set(names)) {
      for (const char c : alphabet) names.insert(start + c);
    }
  }
  names.erase("");
  for (const std::string& name : std::set(names)) {
    for (const char* end : {".x", ".h", "x2ex.x"}) names.insert(name + end);
  }
  std::set<std::string> objects;
  for (const std::string& name : names) {
    const std::string object = NameOf(name);
    EXPECT_TRUE(IsSubdomain(object)) << name << " is shown as " << object;
    EXPECT_TRUE(objects.insert(object).second) << object << " stands for two gangs";
  }
}

TEST(ObjectName, LongNamesAreCutAndStillDiffer) {
  const std::string longest(253, 'a');
  const std::string other = std::string(252, 'a') + "b";
  for (const std::string& name : {NameOf(longest, "pod"), NameOf(std::string(253, 'X'), "pod")}) {
    EXPECT_TRUE(IsSubdomain(name)) << name;
  }
  EXPECT_NE(NameOf(longest, "pod"), NameOf(other, "pod"));
}

TEST(ObjectName, CarriesTheSource) { EXPECT_NE(NameOf("train", "pod"), NameOf("train", "label")); }

}  // namespace
}  // namespace phalanx
