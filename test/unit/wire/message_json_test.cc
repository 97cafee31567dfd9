// Messages as JSON and requests from a query: what HTTP shows and reads of InspectService.
#include "wire/message_json.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "phalanx/v1alpha1/inspect.pb.h"
#include "wire/decode.h"

namespace phalanx::wire {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::HasSubstr;
using Json = nlohmann::json;

Json Parse(const Message& message) { return Json::parse(MessageToJson(message)); }

// Sets every field, also inside of messages, to something that is not its default.
void Fill(Message& message, int depth);

void FillField(Message& message, const FieldDescriptor* field, int depth) {
  const google::protobuf::Reflection& set = *message.GetReflection();
  const bool list = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return list ? set.AddInt32(&message, field, -7) : set.SetInt32(&message, field, -7);
    case FieldDescriptor::CPPTYPE_INT64:
      return list ? set.AddInt64(&message, field, 1ll << 60)
                  : set.SetInt64(&message, field, 1ll << 60);
    case FieldDescriptor::CPPTYPE_UINT64:
      return list ? set.AddUInt64(&message, field, 1ull << 63)
                  : set.SetUInt64(&message, field, 1ull << 63);
    case FieldDescriptor::CPPTYPE_BOOL:
      return list ? set.AddBool(&message, field, true) : set.SetBool(&message, field, true);
    case FieldDescriptor::CPPTYPE_STRING:
      return list ? set.AddString(&message, field, "a \"b\"\n")
                  : set.SetString(&message, field, "a \"b\"\n");
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (depth == 0) return;
      return Fill(list ? *set.AddMessage(&message, field) : *set.MutableMessage(&message, field),
                  depth - 1);
    default:
      ADD_FAILURE() << field->full_name() << ": MessageToJson has no form for "
                    << field->cpp_type_name();
  }
}

void Fill(Message& message, int depth) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    FillField(message, message.GetDescriptor()->field(i), depth);
  }
}

// protobuf's own parser reads back what was written, field by field, for every message of the API.
TEST(MessageJson, NoFieldOfAnyMessageIsLost) {
  const auto& file = *pb::ListGangsResponse::descriptor()->file();
  for (int i = 0; i < file.message_type_count(); ++i) {
    const Message& prototype =
        *google::protobuf::MessageFactory::generated_factory()->GetPrototype(file.message_type(i));
    std::unique_ptr<Message> message(prototype.New());
    Fill(*message, 4);
    std::unique_ptr<Message> read(prototype.New());
    const std::string json = MessageToJson(*message);
    auto status = google::protobuf::util::JsonStringToMessage(json, read.get());
    ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << json;
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*message, *read)) << json;
  }
}

TEST(MessageJson, AbsentValuesAreLeftOutAndNumbersAreNot) {
  pb::ListGangsResponse response;
  response.add_gangs()->set_name("train");
  Json json = Parse(response);
  EXPECT_FALSE(json.contains("view"));
  EXPECT_EQ(json["total"], 0);
  const Json& gang = json["gangs"][0];
  EXPECT_EQ(gang["name"], "train");
  EXPECT_EQ(gang["devices"], 0);
  for (const char* absent : {"namespace", "position", "plan", "rank", "reason", "members"}) {
    EXPECT_FALSE(gang.contains(absent)) << absent;
  }
  response.mutable_gangs(0)->set_position(0);
  EXPECT_EQ(Parse(response)["gangs"][0]["position"], 0);
}

TEST(MessageJson, ListsOfTheOutermostMessageAreThere) {
  EXPECT_EQ(Parse(pb::ListGangsResponse())["gangs"], Json::array());
  pb::Domain domain;
  EXPECT_EQ(Parse(domain)["free"], Json::object());
  (*domain.mutable_free())["nvidia.com/gpu"] = int64_t{1} << 60;
  EXPECT_EQ(Parse(domain)["free"]["nvidia.com/gpu"], int64_t{1} << 60);
}

TEST(MessageJson, TextThatIsNoUtf8IsReplaced) {
  pb::Gang gang;
  gang.set_name("plugin said \xff\xfe\"\n");
  EXPECT_FALSE(Json::parse(MessageToJson(gang), nullptr, false).is_discarded());
}

TEST(ReadQuery, SetsFieldsByTheirNames) {
  pb::ListGangsRequest request;
  ASSERT_TRUE(ReadQuery("namespace=team-a&phases=queued&&phases=starting&pageSize=10&"
                        "nameContains=a%2Fb+c%20d&pageToken=",
                        request)
                  .ok());
  EXPECT_EQ(request.namespace_(), "team-a");
  ASSERT_EQ(request.phases_size(), 2);
  EXPECT_EQ(request.phases(1), "starting");
  EXPECT_EQ(request.page_size(), 10);
  EXPECT_EQ(request.name_contains(), "a/b c d");
  EXPECT_TRUE(ReadQuery("", request).ok());
}

TEST(ReadQuery, RefusesWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> cases[] = {
      {"colour=red", "'colour', expected one of namespace, phases, nameContains, pageSize"},
      {"page_size=1", "'page_size', expected one of"},
      {"pageSize=ten", "pageSize is 'ten', expected a whole number from 0 to 2147483647"},
      {"pageSize=-1", "pageSize is '-1', expected a whole number from 0"},
      {"pageSize=2147483648", "pageSize is '2147483648'"},
      {"pageSize", "pageSize is ''"},
      {"namespace=a&namespace=b", "namespace is 'b', expected to be given once"},
      {"namespace=%zz", "query is 'namespace=%zz', expected a % with two digits"},
      {"namespace=%1", "expected a % with two digits"},
  };
  for (const auto& [query, message] : cases) {
    pb::ListGangsRequest request;
    absl::Status status = ReadQuery(query, request);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << query;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << query;
  }
}

TEST(ErrorToJson, TextThatIsNoUtf8IsReplaced) {
  EXPECT_FALSE(Json::parse(ErrorToJson(404, "\xc3("), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace phalanx::wire
