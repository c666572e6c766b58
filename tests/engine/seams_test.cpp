// SPDX-License-Identifier: Apache-2.0
// Unions of parts: at a seam the surface goes on, and nothing that slides or rolls over it may notice.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "runs.hpp"
#include "scenes/basic.hpp"

namespace pegrasp::test {
namespace {

ConvexPart slab(const char* name, double left, double right, double bottom, double top) {
  return make_polygon(name, {{left, bottom}, {right, bottom}, {right, top}, {left, top}});
}

// Level floors over x in [-1, 2], top at y = 0, cut up in several ways.
std::vector<BodySpec> floors() {
  BodySpec side_by_side = scenes::ground_body(0.0);
  side_by_side.parts = {slab("a", -1.0, 0.0, -0.2, 0.0), slab("b", 0.0, 1.0, -0.2, 0.0),
                        slab("c", 1.0, 2.0, -0.2, 0.0)};
  BodySpec overlapping = scenes::ground_body(0.0);
  overlapping.parts = {slab("a", -1.0, 0.3, -0.2, 0.0), slab("b", 0.0, 1.1, -0.2, 0.0), slab("c", 0.9, 2.0, -0.2, 0.0)};
  BodySpec jointly = scenes::ground_body(0.0);  // the side of the first is covered by two
  jointly.parts = {slab("a", -1.0, 0.0, -0.2, 0.0), slab("b", 0.0, 2.0, -0.2, -0.1), slab("c", 0.0, 2.0, -0.1, 0.0)};
  BodySpec in_half_plane = scenes::ground_body(0.0);  // a half-plane, and a slab flush with it
  in_half_plane.parts.push_back(slab("b", 0.0, 1.0, -0.2, 0.0));
  return {side_by_side, overlapping, jointly, in_half_plane};
}

SceneSpec slider_on(const BodySpec& floor, BodySpec slider, Twist velocity) {
  SceneSpec scene;
  scene.name = "slider";
  scene.gravity = {0.0, -scenes::standard_gravity};
  slider.pose.x = -0.7;
  slider.velocity = velocity;
  slider.friction = floor.friction;
  scene.bodies = {floor, slider};
  return scene;
}

TEST(Seams, ABoxSlidesOverThemUnchecked) {
  for (const double h : {0.001, 0.002, 0.005, 0.008, 0.016}) {
    for (const double speed : {0.3, 1.0}) {
      int index = 0;
      for (const BodySpec& floor : floors()) {
        BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
        box.pose.y = 0.1;
        const double time = h * std::floor(2.2 / speed / h);
        Simulation simulation = simulate(slider_on(floor, box, {speed, 0.0, 0.0}), steps_of(h, time));
        simulation.run();
        EXPECT_EQ(simulation.outcome().status, status_ok);
        EXPECT_NEAR(simulation.velocity(1).vx, speed, 1e-6) << "floor " << index << ", h " << h;
        EXPECT_NEAR(simulation.pose(1).x, -0.7 + speed * time, 1e-6) << "floor " << index << ", h " << h;
        EXPECT_NEAR(simulation.pose(1).y, 0.1, 1e-6);
        ++index;
      }
    }
  }
}

TEST(Seams, ADiscRollsOverThemWithoutLoss) {
  for (const double h : {0.001, 0.005, 0.016}) {
    int index = 0;
    for (BodySpec floor : floors()) {
      floor.friction = 0.5;
      BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
      disc.pose.y = 0.1;
      const double time = h * std::floor(2.2 / h);
      Simulation simulation = simulate(slider_on(floor, disc, {1.0, 0.0, -10.0}), steps_of(h, time));
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_NEAR(simulation.velocity(1).vx, 1.0, 1e-6) << "floor " << index << ", h " << h;
      EXPECT_NEAR(simulation.velocity(1).omega, -10.0, 1e-5) << "floor " << index << ", h " << h;
      ++index;
    }
  }
}

// A ridge made of two parts is a real corner of the body: it must hold what presses on it.
TEST(Seams, ARidgeOfTwoPartsCarries) {
  BodySpec ridge = scenes::ground_body(0.0);
  ridge.parts = {make_polygon("left", {{-0.5, -0.3}, {0.0, -0.3}, {0.0, 0.0}}),
                 make_polygon("right", {{0.0, -0.3}, {0.5, -0.3}, {0.0, 0.0}})};
  SceneSpec scene;
  scene.gravity = {0.0, -scenes::standard_gravity};
  BodySpec plank = scenes::box_body("plank", 1.0, 0.1, 1.0);
  plank.pose.y = 0.05;
  scene.bodies = {ridge, plank};
  Simulation simulation = simulate(scene, steps_of(0.01, 0.5));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_NEAR(simulation.pose(1).y, 0.05, 1e-6);
  EXPECT_NEAR(simulation.pose(1).theta, 0.0, 1e-6);
}

// A post on a base: its foot is covered, the corners beside it are concave. A box that is pushed along the base hits the
// post's side, which is surface.
TEST(Seams, APostStillStopsWhatHitsIt) {
  BodySpec base = scenes::ground_body(0.0);
  base.parts = {slab("base", -1.0, 1.0, -0.2, 0.0), slab("post", 0.0, 0.1, 0.0, 0.5)};
  BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
  box.pose.y = 0.1;
  for (const double h : {0.001, 0.005, 0.016}) {
    Simulation simulation = simulate(slider_on(base, box, {1.0, 0.0, 0.0}), steps_of(h, 1.6));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.pose(1).x, -0.1, 1e-5) << h;
    EXPECT_NEAR(simulation.velocity(1).vx, 0.0, 1e-5) << h;
  }
}

// Floors over x in [-3, 3], top at y = 0, some of whose parts cover a sibling's side from the top only in part.
struct UnevenFloor {
  const char* what;
  BodySpec body;
};

std::vector<UnevenFloor> uneven_floors() {
  const auto floor_of = [](std::vector<ConvexPart> parts) {
    BodySpec body = scenes::ground_body(0.0);
    body.parts = std::move(parts);
    return body;
  };
  return {
      {"slabs, the right one thicker",
       floor_of({slab("thin", -3.0, 0.0, -0.5, 0.0), slab("thick", 0.0, 3.0, -1.0, 0.0)})},
      {"slabs, the left one thicker",
       floor_of({slab("thick", -3.0, 0.0, -1.0, 0.0), slab("thin", 0.0, 3.0, -0.5, 0.0)})},
      {"a sheet beside a block", floor_of({slab("sheet", -3.0, 0.0, -0.01, 0.0), slab("block", 0.0, 3.0, -1.0, 0.0)})},
      {"slabs that overlap", floor_of({slab("thin", -3.0, 0.3, -0.5, 0.0), slab("thick", 0.0, 3.0, -1.0, 0.0)})},
      {"an L", floor_of({slab("upright", 0.0, 1.0, -3.0, 0.0), slab("arm", -3.0, 0.0, -0.1, 0.0)})},
      {"a T, its stem up to the top", floor_of({slab("bar", -3.0, 3.0, -0.5, 0.0), slab("stem", 0.0, 0.5, -3.0, 0.0)})},
      {"a part whose side is covered by two",
       floor_of({slab("upper", -3.0, 0.0, -0.2, 0.0), slab("lower", -3.0, 0.0, -0.5, -0.2),
                 slab("thick", 0.0, 3.0, -1.0, 0.0)})},
      {"a side with a bend",
       floor_of({slab("thin", -3.0, 0.0, -0.5, 0.0),
                 make_polygon("thick", {{0.01, -1.0}, {3.0, -1.0}, {3.0, 0.0}, {0.0, 0.0}, {0.0, -0.4}})})},
      {"a side that slopes", floor_of({slab("thin", -3.0, 0.0, -0.5, 0.0),
                                       make_polygon("thick", {{-0.3, -1.0}, {3.0, -1.0}, {3.0, 0.0}, {0.0, 0.0}})})},
  };
}

const std::array<double, 5> step_lengths{0.001, 0.002, 0.004, 0.008, 0.016};

void expect_unchecked(const UnevenFloor& floor, BodySpec slider, double speed, double spin, double h) {
  const double left = 0.8;  // where it starts, on either side
  const double height = slider.pose.y;
  SceneSpec scene = slider_on(floor.body, slider, {speed, 0.0, spin});
  scene.bodies[1].pose.x = speed > 0.0 ? -left : left;
  const double time = h * std::floor(2.0 * left / std::fabs(speed) / h);
  Simulation simulation = simulate(scene, steps_of(h, time));
  simulation.run();
  const std::string where = std::string(floor.what) + ", h " + std::to_string(h) + ", speed " + std::to_string(speed);
  EXPECT_EQ(simulation.outcome().status, status_ok) << where;
  EXPECT_NEAR(simulation.velocity(1).vx, speed, 1e-6 * std::fabs(speed)) << where;
  EXPECT_NEAR(simulation.velocity(1).omega, spin, 1e-5) << where;
  EXPECT_NEAR(simulation.pose(1).x, scene.bodies[1].pose.x + speed * time, 2e-6) << where;
  EXPECT_NEAR(simulation.pose(1).y, height, 1e-6) << where;
}

TEST(Seams, ABoxSlidesOverASideThatIsCoveredInPart) {
  for (const UnevenFloor& floor : uneven_floors()) {
    for (const double h : step_lengths) {
      for (const double speed : {2.0, -2.0, 0.3}) {
        BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
        box.pose.y = 0.1;
        expect_unchecked(floor, box, speed, 0.0, h);
      }
    }
  }
}

TEST(Seams, ADiscRollsOverASideThatIsCoveredInPart) {
  for (UnevenFloor floor : uneven_floors()) {
    floor.body.friction = 0.5;
    for (const double h : step_lengths) {
      for (const double speed : {2.0, -2.0}) {
        BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
        disc.pose.y = 0.1;
        expect_unchecked(floor, disc, speed, -10.0 * speed, h);
      }
    }
  }
}

// The slider's own heel is covered in part: an L on its foot, a T on its head.
TEST(Seams, AUnionSlidesOverASideThatIsCoveredInPart) {
  BodySpec l = scenes::box_body("L", 0.4, 0.4, 1.0);
  l.parts = {slab("leg", -0.2, -0.1, -0.1, 0.3), slab("foot", -0.1, 0.2, -0.1, 0.0)};
  BodySpec t = scenes::box_body("T", 0.4, 0.4, 1.0);
  t.parts = {slab("head", -0.2, 0.2, -0.1, 0.0), slab("stem", -0.05, 0.05, -0.1, 0.3)};
  for (const UnevenFloor& floor : uneven_floors()) {
    for (const double h : step_lengths) {
      for (const double speed : {2.0, -2.0}) {
        for (BodySpec slider : {l, t}) {
          slider.pose.y = 0.1;
          expect_unchecked(floor, slider, speed, 0.0, h);
        }
      }
    }
  }
}

// A slider that comes tilted touches with one corner only, and its front edge's support may be the far end of the side.
TEST(Seams, ATiltedBoxPassesASideThatIsCoveredInPart) {
  for (const UnevenFloor& floor : uneven_floors()) {
    for (const double h : step_lengths) {
      for (const double tilt : {-1e-9, 1e-9, -1e-3, 1e-3, -0.02, 0.02}) {
        for (const double start : {-0.102, -0.105, -0.113, -0.125}) {
          SceneSpec scene = slider_on(floor.body, scenes::box_body("box", 0.2, 0.2, 1.0), {2.0, 0.0, 0.0});
          scene.bodies[1].pose = {start, 0.1 * (std::cos(tilt) + std::fabs(std::sin(tilt))), tilt};
          Simulation simulation = simulate(scene, steps_of(h, 0.4));
          simulation.run();
          EXPECT_EQ(simulation.outcome().status, status_ok) << floor.what << ", h " << h << ", tilt " << tilt;
          EXPECT_NEAR(simulation.velocity(1).vx, 2.0, 1e-5) << floor.what << ", h " << h << ", tilt " << tilt;
        }
      }
    }
  }
}

// What the sibling leaves open is surface: whatever comes along below the thin slab is stopped at the thick one's side,
// flush with the thin slab's lower face or well below it.
TEST(Seams, TheOpenRestOfASideStopsWhatComes) {
  BodySpec flush = scenes::ground_body(0.0);
  flush.parts = {slab("thin", -3.0, 0.0, -0.5, 0.0), slab("thick", 0.0, 3.0, -1.0, 0.0)};
  BodySpec overlapping = scenes::ground_body(0.0);
  overlapping.parts = {slab("thin", -3.0, 0.3, -0.5, 0.0), slab("thick", 0.0, 3.0, -1.0, 0.0)};
  BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
  // its tip touches exactly where the cover ends, all else of it lies below
  BodySpec wedge = box;
  wedge.parts = {make_polygon("wedge", {{-0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}})};
  BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
  for (const double h : step_lengths) {
    for (const double lift : {0.0, 9.81}) {  // pressed against the thin slab, or not
      for (const BodySpec& body : {flush, overlapping}) {
        for (const BodySpec& slider : {box, wedge, disc}) {
          for (const double y : {-0.6, -0.75, -0.899}) {
            if (lift > 0.0 && y != -0.6) continue;
            if (slider.name == "disc" && y == -0.899) continue;
            SceneSpec scene = slider_on(body, slider, {2.0, 0.0, 0.0});
            scene.gravity = {0.0, lift};
            scene.bodies[1].pose = {-0.8, y, 0.0};
            scene.bodies[1].inertia = 1e6;  // it must not turn
            Simulation simulation = simulate(scene, steps_of(h, 0.8));
            simulation.run();
            EXPECT_EQ(simulation.outcome().status, status_ok) << "h " << h << ", y " << y;
            EXPECT_NEAR(simulation.pose(1).x, -0.1, 1e-5) << slider.name << ", h " << h << ", y " << y << ", " << lift;
            EXPECT_NEAR(simulation.velocity(1).vx, 0.0, 1e-5) << slider.name << ", h " << h << ", y " << y;
            EXPECT_NEAR(simulation.pose(1).y, y, 1e-5) << slider.name << ", h " << h << ", y " << y;
          }
        }
      }
    }
  }
}

// The same from the other end: a post let into its base is covered at the foot.
TEST(Seams, APostLetIntoItsBaseStopsWhatHitsIt) {
  BodySpec base = scenes::ground_body(0.0);
  base.parts = {slab("base", -1.0, 1.0, -0.2, 0.0), slab("post", 0.0, 0.1, -0.2, 0.5)};
  BodySpec on_plane = scenes::ground_body(0.0);
  on_plane.parts.push_back(slab("post", 0.0, 0.1, -0.2, 0.5));
  for (const BodySpec& body : {base, on_plane}) {
    for (const double h : step_lengths) {
      for (const double height : {0.2, 0.02, 2e-4}) {
        BodySpec box = scenes::box_body("box", 0.2, height, 1.0);
        box.pose.y = 0.5 * height;
        Simulation simulation = simulate(slider_on(body, box, {1.0, 0.0, 0.0}), steps_of(h, 1.6));
        simulation.run();
        EXPECT_EQ(simulation.outcome().status, status_ok);
        EXPECT_NEAR(simulation.pose(1).x, -0.1, 1e-5) << "h " << h << ", height " << height;
        EXPECT_NEAR(simulation.velocity(1).vx, 0.0, 1e-5) << "h " << h << ", height " << height;
      }
    }
  }
}

// Flies past the thin slab's end, short as a nose, and into the thick one's side below it, within one step.
TEST(Seams, AShortNoseDoesNotHideTheSideBelowIt) {
  BodySpec body = scenes::ground_body(0.0);
  body.parts = {slab("nose", -0.02, 0.0, -0.02, 0.0), slab("thick", 0.0, 3.0, -1.0, 0.0)};
  for (const double h : step_lengths) {
    for (const double start : {-0.1, -0.104, -0.108, -0.112}) {
      SceneSpec scene = slider_on(body, scenes::box_body("box", 0.05, 0.05, 1.0), {2.0, -8.0, 0.0});
      scene.gravity = {0.0, 0.0};
      scene.bodies[1].inertia = 1e6;
      scene.bodies[1].pose = {start, 0.1, 0.0};
      Simulation simulation = simulate(scene, steps_of(h, h * std::floor(0.1 / h)));
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok) << h;
      EXPECT_NEAR(simulation.pose(1).x, -0.025, 1e-5) << "h " << h << ", start " << start;
      EXPECT_NEAR(simulation.velocity(1).vy, -8.0, 1e-5) << "h " << h << ", start " << start;
    }
  }
}

}  // namespace
}  // namespace pegrasp::test
