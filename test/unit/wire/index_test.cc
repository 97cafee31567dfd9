#include "wire/dialects/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/dialects/dialects.h"

namespace phalanx::wire {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::StrEq;

Membership Read(const LabelMap& labels, const LabelMap& annotations = {}) {
  Membership m;
  ReadIndex(labels, annotations, m);
  return m;
}

struct Numbered {
  const char* controller;
  LabelMap labels;
  int32_t group;
  int32_t index;
};

TEST(Index, OfEachController) {
  const std::vector<Numbered> all = {
      {"Indexed Job", {{"batch.kubernetes.io/job-completion-index", "7"}}, 0, 7},
      {"JobSet",
       {{"batch.kubernetes.io/job-completion-index", "3"},
        {"jobset.sigs.k8s.io/job-global-index", "2"}},
       2,
       3},
      {"LeaderWorkerSet",
       {{"leaderworkerset.sigs.k8s.io/worker-index", "1"},
        {"leaderworkerset.sigs.k8s.io/group-index", "4"},
        {"apps.kubernetes.io/pod-index", "9"}},
       4,
       1},
      {"PyTorchJob, master",
       {{"training.kubeflow.org/replica-type", "master"},
        {"training.kubeflow.org/replica-index", "0"}},
       0,
       0},
      {"PyTorchJob, worker",
       {{"training.kubeflow.org/replica-type", "Worker"},
        {"training.kubeflow.org/replica-index", "5"}},
       1,
       5},
      {"TFJob, evaluator",
       {{"training.kubeflow.org/replica-type", "evaluator"},
        {"training.kubeflow.org/replica-index", "0"}},
       2,
       0},
      {"StatefulSet", {{"apps.kubernetes.io/pod-index", "11"}}, 0, 11},
  };
  for (const Numbered& pod : all) {
    const Membership m = Read(pod.labels);
    EXPECT_EQ(m.index, pod.index) << pod.controller;
    EXPECT_EQ(m.index_group, pod.group) << pod.controller;
    EXPECT_THAT(m.problems, IsEmpty()) << pod.controller;
    // The adapter sends only what it is asked for.
    for (const auto& [key, value] : pod.labels) {
      EXPECT_THAT(LabelKeys(), Contains(StrEq(key)));
      EXPECT_THAT(AnnotationKeys(), Contains(StrEq(key)));
    }
  }
}

TEST(Index, TheAnnotationCountsBeforeTheLabel) {
  EXPECT_EQ(Read({{"batch.kubernetes.io/job-completion-index", "1"}},
                 {{"batch.kubernetes.io/job-completion-index", "2"}})
                .index,
            2);
}

TEST(Index, APodThatNobodyNumberedHasNone) {
  // A group alone numbers nothing.
  const Membership m = Read({{"jobset.sigs.k8s.io/job-global-index", "2"}});
  EXPECT_FALSE(m.index.has_value());
  EXPECT_EQ(m.index_group, 0);
}

TEST(Index, WhatIsNoIndexIsAProblem) {
  for (const char* text : {"", "-1", "two", "2147483648", "1.0"}) {
    const Membership m = Read({{"batch.kubernetes.io/job-completion-index", "0"},
                               {"jobset.sigs.k8s.io/job-global-index", text}});
    EXPECT_THAT(
        m.problems,
        ElementsAre(Field(&Problem::field, "metadata.labels[jobset.sigs.k8s.io/job-global-index]")))
        << text;
    const Membership alone = Read({{"apps.kubernetes.io/pod-index", text}});
    EXPECT_THAT(alone.problems, ElementsAre(Field(&Problem::value, text))) << text;
    EXPECT_FALSE(alone.index.has_value());
  }
}

}  // namespace
}  // namespace phalanx::wire
