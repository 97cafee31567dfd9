// Cutting a large message: nothing is lost, doubled or reordered.
#include "runtime/changes_cutter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/mailbox.h"

namespace phalanx::runtime {
namespace {

constexpr size_t kPiece = ChangesCutter::kPiece;

// Objects stand between nodes and pods, as many as `objects` removed and as many changed.
Changes Numbered(size_t removed_nodes, size_t nodes, size_t removed_pods, size_t pods,
                 size_t objects = 0) {
  Changes out;
  out.removed_objects.resize(objects);
  out.objects.resize(objects);
  for (size_t i = 0; i < objects; ++i) {
    out.removed_objects[i].uid = "o" + std::to_string(i);
    out.objects[i].uid = "p" + std::to_string(i);
  }
  for (size_t i = 0; i < removed_nodes; ++i) out.removed_nodes.push_back("a" + std::to_string(i));
  out.nodes.resize(nodes);
  for (size_t i = 0; i < nodes; ++i) out.nodes[i].name = "b" + std::to_string(i);
  for (size_t i = 0; i < removed_pods; ++i) out.removed_pods.push_back("c" + std::to_string(i));
  out.pods.resize(pods);
  for (size_t i = 0; i < pods; ++i) out.pods[i].uid = "d" + std::to_string(i);
  return out;
}

// The objects in the order in which they are applied.
void AppendNames(const Changes& changes, std::vector<std::string>& out) {
  out.insert(out.end(), changes.removed_nodes.begin(), changes.removed_nodes.end());
  for (const NodeObject& node : changes.nodes) out.push_back(node.name);
  for (const RemovedObject& removed : changes.removed_objects) out.push_back(removed.uid);
  for (const ApiObject& object : changes.objects) out.push_back(object.uid);
  out.insert(out.end(), changes.removed_pods.begin(), changes.removed_pods.end());
  for (const PodObject& pod : changes.pods) out.push_back(pod.uid);
}

std::vector<std::string> NamesOf(const Changes& changes) {
  std::vector<std::string> out;
  AppendNames(changes, out);
  return out;
}

TEST(ChangesCutter, PiecesInTheirOrderAreTheWhole) {
  const size_t shapes[][5] = {
      {1, 0, 0, 0, 0},           {0, 0, 0, 1000, 0},   {kPiece, 0, 0, 0, 0}, {kPiece, 1, 0, 0, 0},
      {300, 300, 300, 300, 300}, {10, 20, 30, 40, 50}, {0, 255, 0, 2, 0},    {5, 0, 700, 0, 1},
      {0, 0, 0, 2 * kPiece, 0},  {0, 0, 0, 0, 2000}};
  for (const auto& [a, b, c, d, e] : shapes) {
    ChangesCutter cutter(Numbered(a, b, c, d, e));
    std::vector<std::string> names;
    size_t pieces = 0;
    for (; !cutter.done(); ++pieces) {
      Changes piece = cutter.Next();
      EXPECT_LE(ObjectsIn(piece), kPiece);
      AppendNames(piece, names);
    }
    EXPECT_EQ(names, NamesOf(Numbered(a, b, c, d, e)))
        << a << " " << b << " " << c << " " << d << " " << e;
    EXPECT_EQ(pieces, (a + b + c + d + 2 * e + kPiece - 1) / kPiece);
  }
}

Envelope Pods(size_t pods) { return {1, Numbered(0, 0, 0, pods), nullptr, {}}; }

Envelope Fact() { return {1, MemberFact{}, nullptr, {}}; }

TEST(MailboxPieces, FactsAreTakenBetweenPieces) {
  Mailbox mailbox(8, 10'000, 8);
  Envelope large = Pods(3 * kPiece), done{1, SyncDone{}, nullptr, {}};
  ASSERT_TRUE(mailbox.Post(Lane::kBulk, large));
  ASSERT_TRUE(mailbox.Post(Lane::kBulk, done));
  EXPECT_EQ(mailbox.Take(true)->lane, Lane::kBulk);
  Envelope fact = Fact(), disconnect{1, Disconnect{}, nullptr, {}};
  ASSERT_TRUE(mailbox.Post(Lane::kFact, fact));
  ASSERT_TRUE(mailbox.Post(Lane::kControl, disconnect));
  EXPECT_EQ(mailbox.Take(true)->lane, Lane::kControl);
  EXPECT_EQ(mailbox.Take(true)->lane, Lane::kFact);
  EXPECT_FALSE(mailbox.Take(false).has_value()) << "the rest is bulk and waits for its turn";
  for (size_t first : {kPiece, 2 * kPiece}) {
    std::optional<Mailbox::Taken> piece = mailbox.Take(true);
    ASSERT_TRUE(piece.has_value());
    EXPECT_EQ(piece->envelope.epoch, 1u);
    EXPECT_EQ(std::get<Changes>(piece->envelope.body).pods[0].uid, "d" + std::to_string(first));
  }
  EXPECT_TRUE(std::holds_alternative<SyncDone>(mailbox.Take(true)->envelope.body))
      << "what was posted later comes after all pieces";
  EXPECT_FALSE(mailbox.Take(true).has_value());
}

TEST(MailboxPieces, WeightLeavesPieceByPieceAndRoomIsToldOnTheWay) {
  Mailbox mailbox(8, 2 * kPiece, 8);
  Envelope large = Pods(4 * kPiece);
  ASSERT_TRUE(mailbox.Post(Lane::kBulk, large));
  int told = 0;
  mailbox.WhenRoom(Lane::kBulk, [&told] { ++told; });
  for (size_t left : {3 * kPiece, 2 * kPiece, kPiece}) {
    EXPECT_EQ(told, 0);
    ASSERT_TRUE(mailbox.Take(true).has_value());
    EXPECT_EQ(mailbox.Stats(Lane::kBulk).weight, left + 1);
    EXPECT_EQ(mailbox.Stats(Lane::kBulk).depth, 1u) << "what is taken in pieces is still there";
    mailbox.Wait(std::chrono::steady_clock::time_point::max());  // returns: there is more
  }
  EXPECT_EQ(told, 0);
  ASSERT_TRUE(mailbox.Take(true).has_value());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(mailbox.Stats(Lane::kBulk).weight, 0u);
  EXPECT_EQ(mailbox.Stats(Lane::kBulk).depth, 0u);
}

}  // namespace
}  // namespace phalanx::runtime
