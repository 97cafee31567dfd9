// The contract: what the real adapter said and asked in a recorded conversation is said and asked
// again, and the brain, with its threads and over its real socket, has to answer what it answered.
//
// Recordings are made by scripts/record.sh, where the adapter's own test plays the brain's part.
// Their epochs are later than any clock, and this brain is told to go on from there, so that epochs
// and plans are the recorded ones. Directives are compared field by field and in order, answers of
// calls likewise. What is written for users to read (patches, events) goes by a budget and a clock:
// it is taken whenever it comes, and answered as applied. Gang objects have to end as recorded.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "service/server.h"
#include "unit/service/support.h"

namespace phalanx::service {
namespace {

using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;
using Json = nlohmann::json;

void Parse(const Json& json, Message* out) {
  auto status = google::protobuf::util::JsonStringToMessage(json.dump(), out);
  ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << json;
}

bool IsForReaders(const pb::SyncResponse& response) {
  return response.has_patch() || response.has_event();
}

// What differs, in words; empty if nothing does.
std::string Difference(const Message& recorded, const Message& now) {
  MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  differencer.Compare(recorded, now);
  return differences;
}

// Bytes that hold JSON stand in a recording as JSON.
void Encode(Json& json) {
  for (auto& [key, value] : json.items()) {
    if ((key == "json" || key == "object") && value.is_object()) {
      value = absl::Base64Escape(value.dump());
    } else if (value.is_structured()) {
      Encode(value);
    }
  }
}

std::vector<Json> ReadRecording(const std::filesystem::path& path) {
  std::vector<Json> steps;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    steps.push_back(Json::parse(line));
    Encode(steps.back());
  }
  return steps;
}

// What users read of gangs in the end: the last write by object, part and kind of write. Times of
// the clock, and how long something has taken, are replaced as they are in a recording.
class GangObjects {
 public:
  void Note(const pb::SyncResponse& response) {
    const pb::Patch& patch = response.patch();
    if (patch.target().resource() != "gangs") return;
    static const std::regex times(R"("\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")");
    static const std::regex durations(R"("waited":"[^"]*")");
    std::string body = std::regex_replace(patch.json(), times, R"("2026-01-01T00:00:00Z")");
    body = std::regex_replace(body, durations, R"("waited":"1d")");
    writes_[patch.target().ShortDebugString() + " " + patch.subresource() + " " +
            pb::Patch::Kind_Name(patch.kind())] = Json::parse(body);
  }
  bool operator==(const GangObjects&) const = default;
  std::string ToString() const { return Json(writes_).dump(1); }

 private:
  std::map<std::string, Json> writes_;
};

// The epoch of the first Welcome.
uint64_t FirstEpoch(const std::vector<Json>& steps) {
  for (const Json& step : steps) {
    if (!step.contains("down")) continue;
    pb::SyncResponse response;
    Parse(step["down"], &response);
    return response.epoch();
  }
  return 0;
}

class Replay {
 public:
  explicit Replay(uint64_t first_epoch) : settings_(testing::TestSettings(folder_)) {
    settings_.http_address.clear();
    const std::string socket = settings_.socket_path;
    std::filesystem::create_directory(std::filesystem::path(socket).parent_path());
    std::filesystem::permissions(std::filesystem::path(socket).parent_path(),
                                 std::filesystem::perms::owner_all);
    std::ofstream(socket + ".epoch") << first_epoch - 1 << "\n";
    server_ = std::make_unique<Server>(settings_);
    absl::Status status = server_->Start();
    EXPECT_TRUE(status.ok()) << status;
    channel_ = testing::Dial(socket);
    sync_ = pb::ClusterService::NewStub(channel_);
    calls_ = pb::SchedulerService::NewStub(channel_);
  }
  ~Replay() {
    if (!stream_) return;  // a step has failed
    context_->TryCancel();
    pb::SyncResponse more;
    while (stream_->Read(&more)) {
    }
    stream_->Finish();
  }

  void Play(const Json& step) {
    if (step.contains("up")) return Up(step["up"]);
    if (step.contains("down")) return Down(step["down"]);
    if (step.contains("cut")) return End();
    const std::string method = step["call"];
    using Stub = pb::SchedulerService::Stub;
    if (method == "Filter") return Call<pb::FilterResponse>(&Stub::Filter, step);
    if (method == "Score") return Call<pb::ScoreResponse>(&Stub::Score, step);
    if (method == "Reserve") return Call<pb::ReserveResponse>(&Stub::Reserve, step);
    if (method == "Unreserve") return Call<pb::UnreserveResponse>(&Stub::Unreserve, step);
    if (method == "Permit") return Call<pb::PermitResponse>(&Stub::Permit, step);
    FAIL() << "no method " << method;
  }

  // The adapter says nothing more: users come to read what they read in the recording, and the
  // brain has nothing more to say.
  void ExpectTheEnd() {
    pb::SyncResponse more;
    while (objects_ != recorded_objects_ && stream_->Read(&more)) Take(more);
    EXPECT_EQ(objects_.ToString(), recorded_objects_.ToString());
    End();
  }

 private:
  void Up(const Json& json) {
    pb::SyncRequest request;
    Parse(json, &request);
    if (!stream_) {
      context_ = testing::Context();
      stream_ = sync_->Sync(context_.get());
    }
    if (request.has_directive_result()) {
      const auto now = sequences_.find(request.directive_result().sequence());
      if (now == sequences_.end()) return;  // of a patch, which was answered when it came
      request.mutable_directive_result()->set_sequence(now->second);
    }
    EXPECT_TRUE(stream_->Write(request)) << json;
  }

  void Down(const Json& json) {
    pb::SyncResponse recorded, now;
    Parse(json, &recorded);
    if (IsForReaders(recorded)) return recorded_objects_.Note(recorded);
    ASSERT_TRUE(Read(&now)) << "the stream ended, expected " << json;
    if (recorded.sequence() != 0) sequences_[recorded.sequence()] = now.sequence();
    now.set_sequence(recorded.sequence());
    EXPECT_EQ(Difference(recorded, now), "") << "recorded: " << json;
  }

  // The next directive that is not for readers.
  bool Read(pb::SyncResponse* out) {
    while (stream_->Read(out)) {
      if (!IsForReaders(*out)) return true;
      Take(*out);
    }
    return false;
  }

  // Takes a directive that is not expected at a certain place.
  void Take(const pb::SyncResponse& response) {
    if (!IsForReaders(response)) {
      ADD_FAILURE() << "not recorded: " << response.ShortDebugString();
      return;
    }
    objects_.Note(response);
    pb::SyncRequest done;
    done.set_epoch(response.epoch());
    done.mutable_directive_result()->set_sequence(response.sequence());
    done.mutable_directive_result()->set_applied(true);
    if (!closed_) stream_->Write(done);
  }

  // Ends the stream when the brain has read all that was said.
  void End() {
    if (!stream_) return;
    closed_ = true;
    stream_->WritesDone();
    pb::SyncResponse more;
    while (stream_->Read(&more)) Take(more);
    const grpc::Status status = stream_->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    stream_.reset();
    sequences_.clear();
    closed_ = false;
  }

  template <class Response, class Request>
  void Call(grpc::Status (pb::SchedulerService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                               Response*),
            const Json& step) {
    Request request;
    Response recorded, now;
    Parse(step["request"], &request);
    auto context = testing::Context();
    const grpc::Status status = (calls_.get()->*method)(context.get(), request, &now);
    EXPECT_EQ(status.ok(), !step.contains("code")) << step << status.error_message();
    if (!status.ok() || step.contains("code")) return;
    Parse(step["response"], &recorded);
    EXPECT_EQ(Difference(recorded, now), "") << step;
  }

  testing::TempFolder folder_;
  Settings settings_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::ClusterService::Stub> sync_;
  std::unique_ptr<pb::SchedulerService::Stub> calls_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<pb::SyncRequest, pb::SyncResponse>> stream_;
  bool closed_ = false;  // for writing
  GangObjects objects_, recorded_objects_;
  std::map<uint64_t, uint64_t> sequences_;  // of directives, as recorded -> now; of this stream
};

std::vector<std::string> Recordings() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::filesystem::path(PHALANX_TEST_DATA) / "recordings";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ContractTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ContractTest, TheBrainAnswersAsRecorded) {
  const std::vector<Json> steps = ReadRecording(std::filesystem::path(PHALANX_TEST_DATA) /
                                                "recordings" / (GetParam() + ".jsonl"));
  ASSERT_FALSE(steps.empty());
  Replay replay(FirstEpoch(steps));
  for (size_t i = 0; i < steps.size() && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(GetParam() + ".jsonl:" + std::to_string(i + 1));
    replay.Play(steps[i]);
  }
  if (!HasFatalFailure()) replay.ExpectTheEnd();
}

INSTANTIATE_TEST_SUITE_P(Recordings, ContractTest, ::testing::ValuesIn(Recordings()),
                         [](const auto& story) {
                           std::string name = story.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A folder without recordings would pass unseen.
TEST(RecordingsTest, AllStoriesAreThere) {
  EXPECT_THAT(Recordings(), ::testing::ElementsAre("apart", "bind-refused", "conflict", "reconnect",
                                                   "start", "wait"));
}

}  // namespace
}  // namespace phalanx::service
