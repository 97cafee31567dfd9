// The dialect of scheduler-plugins, and what hostile JSON does to it: nothing but a reason.
#include "wire/dialects/pod_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "wire/decode.h"
#include "wire/dialects/dialects.h"
#include "wire/json_read.h"

namespace phalanx::wire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::optional<Membership> Read(const LabelMap& labels, const LabelMap& annotations = {}) {
  return ReadMembership({"team", "w-0", labels, annotations});
}

auto ProblemIs(const std::string& field, const std::string& value, const std::string& expected) {
  return AllOf(Field(&Problem::field, field), Field(&Problem::value, value),
               Field(&Problem::expected, HasSubstr(expected)));
}

TEST(PodGroupDialect, ThePodNamesItsObject) {
  std::optional<Membership> m = Read(
      {{kPodGroupLabel, "train"}, {kRoleLabel, "leader"}},
      {{kTopologyRequiredAnnotation, "nvlink"}, {"batch.kubernetes.io/job-completion-index", "7"}});
  ASSERT_TRUE(m.has_value());
  EXPECT_EQ(m->gang, (GangKey{"team", "podgroup", "train"}));
  EXPECT_EQ(m->terms_object, (ObjectKey{"PodGroup", "team", "train"}));
  EXPECT_TRUE(m->sized_by_object);
  EXPECT_EQ(m->role, "leader");
  EXPECT_EQ(m->required_level, "nvlink");
  EXPECT_EQ(m->index, 7);
  EXPECT_THAT(m->problems, IsEmpty());
}

TEST(PodGroupDialect, AnOldLabelNamesAnObjectOfTheOldGroup) {
  for (const char* label : {kOldPodGroupLabel, kOldestPodGroupLabel}) {
    std::optional<Membership> m = Read({{label, "train"}});
    ASSERT_TRUE(m.has_value());
    EXPECT_EQ(m->gang, (GangKey{"team", "podgroup-sigs", "train"}));
    EXPECT_EQ(m->terms_object->kind, "PodGroup.scheduling.sigs.k8s.io");
    EXPECT_THAT(m->problems, IsEmpty());
  }
}

TEST(PodGroupDialect, AnEmptyLabelNamesNothing) {
  std::optional<Membership> m = Read({{kPodGroupLabel, ""}});
  ASSERT_TRUE(m.has_value()) << "it is held by its label, and must be let go again";
  EXPECT_EQ(m->gang, (GangKey{"team", "pod", "w-0"}));
  EXPECT_THAT(m->problems, IsEmpty());
}

// The size stands in the object, which may come later: numbers are not held against it.
TEST(PodGroupDialect, SegmentsAndSpreadNeedNoSize) {
  std::optional<Membership> m =
      Read({{kPodGroupLabel, "train"}},
           {{kSegmentSizeAnnotation, "4"}, {kSegmentRequiredAnnotation, "rack"}});
  EXPECT_THAT(m->problems, IsEmpty());
  EXPECT_EQ(m->segment, (Segment{4, "rack", ""}));
  m = Read({{kPodGroupLabel, "train"}},
           {{"phalanx.dev/spread-topology", "rack"}, {"phalanx.dev/spread-min", "2"}});
  EXPECT_THAT(m->problems, IsEmpty());
  EXPECT_EQ(m->spread, (Spread{"rack", 0, 2, false}));
}

TEST(PodGroupDialect, ANameThatNoObjectCanHave) {
  std::optional<Membership> m = Read({{kPodGroupLabel, "a/b"}});
  EXPECT_THAT(m->problems, ElementsAre(ProblemIs("metadata.labels[scheduling.x-k8s.io/pod-group]",
                                                 "a/b", "the name of a PodGroup")));
}

TEST(PodGroupDialect, OurLabelsCountFirst) {
  std::optional<Membership> m =
      Read({{kGangLabel, "train"}, {kGangSizeLabel, "4"}, {kPodGroupLabel, "train"}});
  EXPECT_EQ(m->gang.source, "label");
  EXPECT_EQ(m->size, 4);
  EXPECT_FALSE(m->sized_by_object);
  EXPECT_EQ(m->terms_object, (ObjectKey{"PodGroup", "team", "train"})) << "it is compared";
  EXPECT_THAT(m->problems, IsEmpty());
}

TEST(PodGroupDialect, TwoNamesAreAnErrorThatNamesBoth) {
  std::optional<Membership> m =
      Read({{kGangLabel, "a"}, {kGangSizeLabel, "4"}, {kPodGroupLabel, "b"}});
  EXPECT_EQ(m->gang, (GangKey{"team", "label", "a"}));
  EXPECT_THAT(m->problems,
              ElementsAre(ProblemIs("metadata.labels[phalanx.dev/gang]", "a", "b, the PodGroup")));
  m = Read({{kPodGroupLabel, "a"}, {kOldPodGroupLabel, "b"}});
  EXPECT_EQ(m->gang.name, "a");
  EXPECT_THAT(
      m->problems,
      ElementsAre(ProblemIs("metadata.labels[scheduling.sigs.k8s.io/pod-group]", "b", "a, as in")));
}

TEST(PodGroupDialect, OurSizeWithoutOurNameIsAnError) {
  std::optional<Membership> m =
      Read({{kPodGroupLabel, "train"}, {kGangSizeLabel, "4"}}, {{kGangMinAnnotation, "2"}});
  EXPECT_EQ(m->gang.source, "podgroup");
  EXPECT_THAT(m->problems,
              ElementsAre(ProblemIs("metadata.labels[phalanx.dev/gang-size]", "4",
                                    "spec.minMember of PodGroup team/train"),
                          ProblemIs("metadata.annotations[phalanx.dev/gang-min]", "2", "nothing")));
}

ApiObject Parse(const std::string& json) {
  return ReadObject(WatchedKinds()[0], {"PodGroup", "team", "train"}, "u1", json);
}

TEST(PodGroupObject, SaysMinimumAndTimeout) {
  ApiObject object = Parse(
      R"({"spec": {"minMember": 16, "scheduleTimeoutSeconds": 30, "minResources": {"cpu": "1"}},
          "status": {"phase": "Pending"}})");
  EXPECT_THAT(object.problems, IsEmpty());
  EXPECT_EQ(object.uid, "u1");
  EXPECT_EQ(std::get<GangTerms>(object.body), (GangTerms{16, Duration::Seconds(30)}));
}

TEST(PodGroupObject, ATimeoutOfNothingIsNone) {
  for (const char* text : {R"({"spec": {"minMember": 1}})",
                           R"({"spec": {"minMember": 1, "scheduleTimeoutSeconds": null}})",
                           R"({"spec": {"minMember": 1, "scheduleTimeoutSeconds": 0}})"}) {
    ApiObject object = Parse(text);
    EXPECT_THAT(object.problems, IsEmpty()) << text;
    EXPECT_EQ(std::get<GangTerms>(object.body).reserve_deadline, std::nullopt) << text;
  }
}

TEST(PodGroupObject, EachNumberThatCanNotBeMeant) {
  for (const auto& [written, shown] : std::vector<std::pair<std::string, std::string>>{
           {"0", "0"},
           {"-3", "-3"},
           {"10001", "10001"},
           {"18446744073709551615", "18446744073709551615"},
           {"1e300", "1e+300"},
           {"4.0", "4.0"},
           {"\"4\"", "\"4\""},
           {"true", "true"},
           {"[4]", "[4]"},
           {"null", ""}}) {
    ApiObject object = Parse(R"({"spec": {"minMember": )" + written + "}}");
    EXPECT_THAT(object.problems,
                ElementsAre(ProblemIs("spec.minMember", shown, "a whole number from 1 to 10000")))
        << written;
  }
  ApiObject object = Parse(R"({"spec": {"minMember": 2, "scheduleTimeoutSeconds": -1}})");
  EXPECT_THAT(object.problems, ElementsAre(ProblemIs("spec.scheduleTimeoutSeconds", "-1",
                                                     "a whole number from 0 to 2147483647")));
}

TEST(PodGroupObject, HostileTextIsAProblemAndNothingElse) {
  const std::string deep = std::string(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("4"),
        std::string("{\"spec\": \xff\xfe}"), std::string("{\"a\": \"\\"), deep, "{\"a\": " + deep,
        std::string(kMaxJsonBytes + 1, ' '), std::string(1, '\0')}) {
    ApiObject object = Parse(text);
    ASSERT_THAT(object.problems, SizeIs(1)) << text.substr(0, 40);
    EXPECT_EQ(object.problems[0].field, "object");
    EXPECT_LE(object.problems[0].value.size(), 140u);
  }
  // Brackets in strings nest nothing; wrong types where an object should be are absent fields.
  EXPECT_THAT(Parse(R"({"x": ")" + deep + R"(", "spec": {"minMember": 2}})").problems, IsEmpty());
  EXPECT_THAT(Parse(R"({"spec": [1, 2]})").problems,
              ElementsAre(ProblemIs("spec.minMember", "", "a whole number")));
}

pb::Object Message(const std::string& resource, const std::string& name, const std::string& uid) {
  pb::Object object;
  object.mutable_key()->set_group("scheduling.x-k8s.io");
  object.mutable_key()->set_version("v1alpha1");
  object.mutable_key()->set_resource(resource);
  object.mutable_key()->set_namespace_("team");
  object.mutable_key()->set_name(name);
  object.mutable_key()->set_uid(uid);
  object.set_json(R"({"spec": {"minMember": 3}})");
  return object;
}

TEST(DecodeObjects, WhatCanNotBeNamedIsLeftOutAndTheRestGoesOn) {
  pb::Changes message;
  *message.add_objects() = Message("podgroups", "good", "u1");
  *message.add_objects() = Message("secrets", "other", "u2");
  *message.add_objects() = Message("podgroups", "", "u3");
  *message.add_objects() = Message("podgroups", "no-uid", "");
  *message.add_objects() = Message("podgroups", "unreadable", "u5");
  message.mutable_objects(4)->set_json("{{{");
  *message.add_removed_objects() = Message("podgroups", "gone", "u6").key();
  *message.add_removed_objects() = Message("secrets", "gone", "u7").key();
  std::vector<Refusal> refusals;
  Changes changes = DecodeChanges(message, {{"phalanx"}, {}}, refusals);
  ASSERT_THAT(changes.objects, SizeIs(2));
  EXPECT_EQ(changes.objects[0].key, (ObjectKey{"PodGroup", "team", "good"}));
  EXPECT_EQ(std::get<GangTerms>(changes.objects[0].body).min, 3);
  EXPECT_EQ(changes.objects[1].key.name, "unreadable");
  EXPECT_THAT(changes.objects[1].problems, SizeIs(1));
  ASSERT_THAT(changes.removed_objects, SizeIs(1));
  EXPECT_EQ(changes.removed_objects[0].uid, "u6");
  ASSERT_THAT(refusals, SizeIs(5));
  EXPECT_EQ(refusals[0].kind, ObjectKind::kObject);
  EXPECT_THAT(ToString(refusals[0]), HasSubstr("object/scheduling.x-k8s.io/v1alpha1/secrets"));
  EXPECT_THAT(ToString(refusals[1]), AllOf(HasSubstr("kind is"), HasSubstr("left out")));
  EXPECT_EQ(ToString(refusals[4]),
            "object/PodGroup team/unreadable: object is '{{{', expected a JSON object");
}

}  // namespace
}  // namespace phalanx::wire
