// SPDX-License-Identifier: Apache-2.0
// What predicates of every kind need: a scene whose predicate lacks it is refused before it is simulated.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "pegrasp/predicate.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

constexpr PredicateKind leaves[] = {
    PredicateKind::gap_below,          PredicateKind::pose_within, PredicateKind::speed_below,  PredicateKind::held,
    PredicateKind::displacement_below, PredicateKind::touching,    PredicateKind::contact_force};
constexpr PredicateKind combinations[] = {PredicateKind::all, PredicateKind::any, PredicateKind::negate};

// Of two discs, with one part each. The message of the refusal; empty without one.
std::string refusal_of(const std::vector<Predicate>& program) {
  SceneSpec scene;
  scene.bodies = {scenes::disc_body("a", 0.1, 1.0), scenes::disc_body("b", 0.1, 1.0)};
  scene.success = program;
  try {
    compile_model(scene);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

// About body 0 and body 1, and about the parts of both.
Predicate complete(PredicateKind kind) {
  Predicate p;
  p.kind = kind;
  p.part_a = p.body = 0;
  p.part_b = p.body_b = 1;
  p.count = 1;
  return p;
}

bool takes_other(PredicateKind kind) { return properties(kind).subject == PredicateSubject::body_and_other; }

class PredicateOf : public ::testing::TestWithParam<PredicateKind> {};

TEST_P(PredicateOf, CompleteIsTaken) { EXPECT_EQ(refusal_of({complete(GetParam())}), ""); }

TEST_P(PredicateOf, WhatIsNotThereIsRefused) {
  const PredicateKind kind = GetParam();
  for (const int nothing : {-1, 2}) {
    Predicate p = complete(kind);
    p.part_a = p.body = nothing;
    EXPECT_EQ(refusal_of({p}).rfind("success: ", 0), 0u) << nothing;
  }
  for (const int other : {0, 2}) {  // itself, and none that exists
    Predicate p = complete(kind);
    p.body_b = other;
    const std::string refusal = refusal_of({p});
    EXPECT_EQ(refusal.find("needs another body, or none") != std::string::npos, takes_other(kind)) << other;
  }
  Predicate alone = complete(kind);
  alone.body_b = -1;
  EXPECT_EQ(refusal_of({alone}), "");
}

TEST_P(PredicateOf, LeavesPushOneValue) {
  const Predicate p = complete(GetParam());
  EXPECT_NE(refusal_of({p, p}), "") << "two values are left";
  for (const PredicateKind kind : combinations) {
    EXPECT_EQ(refusal_of({p, complete(kind)}), "");
    EXPECT_NE(refusal_of({complete(kind), p}), "") << "nothing to combine";
  }
}

INSTANTIATE_TEST_SUITE_P(Every, PredicateOf, ::testing::ValuesIn(leaves));

TEST(PredicateKinds, CombinationsTakeWhatTheySay) {
  const Predicate p = complete(PredicateKind::displacement_below);
  for (const PredicateKind kind : {PredicateKind::all, PredicateKind::any}) {
    Predicate two = complete(kind);
    two.count = 2;
    EXPECT_EQ(refusal_of({p, p, two}), "");
    EXPECT_NE(refusal_of({p, two}), "");
    two.count = 0;
    EXPECT_NE(refusal_of({p, two}), "");
  }
  Predicate negate = complete(PredicateKind::negate);
  negate.count = 2;  // it takes one value, whatever this says
  EXPECT_EQ(refusal_of({p, negate}), "");
}

TEST(PredicateKinds, BoundsOfAForceAreInOrder) {
  Predicate p = complete(PredicateKind::contact_force);
  p.value = 2.0;
  p.most = 1.0;
  EXPECT_NE(refusal_of({p}).find("low <= high"), std::string::npos);
  p.most = 2.0;
  EXPECT_EQ(refusal_of({p}), "");
}

// Kernels sum forces for the kinds with a bit, the host asks for the property.
TEST(PredicateKinds, BitsOfForces) {
  const auto bit = [](PredicateKind kind) { return 1u << static_cast<int>(kind); };
  EXPECT_EQ(kinds_of_forces(), bit(PredicateKind::touching) | bit(PredicateKind::contact_force));
}

TEST(PredicateKinds, WhenTheyLook) {
  Predicate p = complete(PredicateKind::pose_within);
  EXPECT_EQ(time_of(p), PredicateTime::at_end);
  p.duration = 0.1;
  EXPECT_EQ(time_of(p), PredicateTime::lasting);
  p = complete(PredicateKind::contact_force);
  EXPECT_EQ(time_of(p), PredicateTime::throughout);
  p.count = 0;
  EXPECT_EQ(time_of(p), PredicateTime::lasting);
  EXPECT_EQ(time_of(complete(PredicateKind::held)), PredicateTime::throughout);
  EXPECT_EQ(time_of(complete(PredicateKind::displacement_below)), PredicateTime::at_end);
}

}  // namespace
}  // namespace pegrasp::test
