// SPDX-License-Identifier: Apache-2.0
// Files of grasps: what is written is read back the same to the digit, frames are where they should be, and what is
// wrong is refused with file, place and remedy.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "pegrasp/error.hpp"
#include "pegrasp/grasps.hpp"
#include "src/formats/hdf5_trial.hpp"
#include "src/formats/yaml_text.hpp"
#include "src/geometry/placement.hpp"
#include "tests/damage.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

// A folder that goes when the test ends.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_" + name)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

void write_bytes(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

// Numbers without a short decimal, and every optional entry in one grasp and in none.
GraspSet some_grasps(GraspFormat format) {
  GraspSet set;
  set.format = format;
  set.object_frame = "/World/mug";
  set.gripper_frame = "/World/hand \"left\"";
  set.object_file = "meshes/mug.obj";
  set.object_scale = 0.1 / 3.0;
  for (int i = 0; i < 5; ++i) {
    Grasp grasp;
    grasp.id = "grasp_" + std::to_string(i);
    grasp.position = {0.1 / (3 + i), -0.2 / 7.0, 1e-17 * i};
    grasp.turn = normalised(turn_by({0.3 * i, -1.1, 0.7}));
    set.grasps.push_back(grasp);
  }
  Grasp& full = set.grasps[1];
  full.turn = {0.00332, 0.98453, 0.16837, 0.04837};  // rounded, as files have it
  full.confidence = 1.0 / 3.0;
  full.joints = {{"left", 0.00943}, {"right", 0.1 / 3.0}};
  full.open_joints = {{"left", 0.04}};
  full.opening = 0.08;
  return set;
}

void expect_same(const GraspSet& a, const GraspSet& b, bool names, bool turns) {
  ASSERT_EQ(a.grasps.size(), b.grasps.size());
  for (std::size_t i = 0; i < a.grasps.size(); ++i) {
    const Grasp &x = a.grasps[i], &y = b.grasps[i];
    if (names) {
      EXPECT_EQ(x.id, y.id);
    }
    EXPECT_EQ(x.position.x, y.position.x);
    EXPECT_EQ(x.position.y, y.position.y);
    EXPECT_EQ(x.position.z, y.position.z);
    if (turns) {
      EXPECT_EQ(x.turn.w, y.turn.w);
      EXPECT_EQ(x.turn.x, y.turn.x);
      EXPECT_EQ(x.turn.y, y.turn.y);
      EXPECT_EQ(x.turn.z, y.turn.z);
    }
    EXPECT_EQ(x.confidence, y.confidence);
    EXPECT_EQ(x.matrix, y.matrix);
  }
}

GraspSet there_and_back(const GraspSet& set, const fs::path& file) {
  write_bytes(file, write_grasps(set));
  return read_grasps(file, set.format);
}

TEST(GraspFiles, CsvIsReadBackTheSame) {
  const Folder folder("grasps_csv");
  const GraspSet set = some_grasps(GraspFormat::csv);
  const GraspSet back = there_and_back(set, folder / "g.csv");
  expect_same(set, back, true, true);
  for (std::size_t i = 0; i < set.grasps.size(); ++i) {
    EXPECT_EQ(set.grasps[i].opening, back.grasps[i].opening);
    EXPECT_EQ(set.grasps[i].joints, back.grasps[i].joints);
    EXPECT_EQ(set.grasps[i].open_joints, back.grasps[i].open_joints);
  }
  EXPECT_EQ(write_grasps(back), write_grasps(set));
}

TEST(GraspFiles, IsaacYamlIsReadBackTheSame) {
  const Folder folder("grasps_isaac");
  const GraspSet set = some_grasps(GraspFormat::isaac);
  const GraspSet back = there_and_back(set, folder / "g.yaml");
  expect_same(set, back, true, true);
  EXPECT_EQ(back.object_frame, set.object_frame);
  EXPECT_EQ(back.gripper_frame, set.gripper_frame);
  EXPECT_EQ(set.grasps[1].joints, back.grasps[1].joints);
  EXPECT_EQ(set.grasps[1].open_joints, back.grasps[1].open_joints);
  EXPECT_EQ(write_grasps(back), write_grasps(set));
}

// The first reading gives each grasp its matrix, which is then kept to the digit.
TEST(GraspFiles, MatricesAreReadBackTheSame) {
  const Folder folder("grasps_matrix");
  for (const GraspFormat format : {GraspFormat::graspgen, GraspFormat::acronym}) {
    GraspSet set = some_grasps(format);
    set.grasps[0].position = {-0.0, 0.1, 0.2};
    const fs::path file = folder / (format == GraspFormat::acronym ? "g.h5" : "g.json");
    const GraspSet once = there_and_back(set, file);
    for (std::size_t i = 0; i < set.grasps.size(); ++i) {
      const Quaternion a = normalised(set.grasps[i].turn), b = once.grasps[i].turn;
      EXPECT_NEAR(std::fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z), 1.0, 1e-14);
      EXPECT_EQ(set.grasps[i].confidence, once.grasps[i].confidence) << "what is not known stays so";
    }
    const GraspSet twice = there_and_back(once, file);
    expect_same(once, twice, true, true);
    EXPECT_EQ(once.object_scale, set.object_scale);
    EXPECT_EQ(write_grasps(twice), write_grasps(once));
  }
}

// A reader of YAML 1.1 takes 1e-17 for a text, and 1 for an integer.
TEST(GraspFiles, NumbersOfYamlHaveAPoint) {
  EXPECT_EQ(yaml_number(1e-17), "1.0e-17");
  EXPECT_EQ(yaml_number(-1.0), "-1.0");
  EXPECT_EQ(yaml_number(0.25), "0.25");
  EXPECT_EQ(yaml_number(1.5e300), "1.5e+300");
}

// As the documentation of Isaac ROS shows it, and as PyYAML writes it in block and in flow style.
TEST(GraspFiles, ReadsYamlOfOthers) {
  const char* const text =
      "# remark\r\n"
      "format: isaac_grasp\r\nformat_version: \"1.0\"\n"
      "object_frame_link: /World/mug\n"
      "gripper_frame_link: '/World/panda''s hand'\n"
      "grasps:\n"
      "  grasp_0:\n"
      "    confidence: 1\n"
      "    position: [-0.04346, 0.06759,\n      0.19895]  # over two lines\n"
      "    orientation: {w: 0.00332, xyz: [0.98453, 0.16837, 0.04837]}\n"
      "    cspace_position: {panda_finger_joint1: 0.00943}\n"
      "    pregrasp_cspace_position:\n      panda_finger_joint1: 4.0e-2\n"
      "  \"grasp 1\":\n"
      "    position:\n    - 0.1\n    - 2\n    - -3e-1\n"
      "    orientation:\n      w: 1.0\n      xyz:\n      - 0\n      - 0\n      - 0\n";
  const GraspSet set = parse_grasps(text, "mug.yaml", GraspFormat::isaac);
  ASSERT_EQ(set.grasps.size(), 2u);
  EXPECT_EQ(set.object_frame, "/World/mug");
  EXPECT_EQ(set.gripper_frame, "/World/panda's hand");
  EXPECT_EQ(set.grasps[0].position.z, 0.19895);
  EXPECT_EQ(set.grasps[0].turn.w, 0.00332);
  EXPECT_EQ(set.grasps[0].joints, (std::vector<GraspJoint>{{"panda_finger_joint1", 0.00943}}));
  EXPECT_EQ(set.grasps[0].open_joints, (std::vector<GraspJoint>{{"panda_finger_joint1", 0.04}}));
  EXPECT_EQ(set.grasps[1].id, "grasp 1");
  EXPECT_EQ(set.grasps[1].position.y, 2.0);
  EXPECT_EQ(set.grasps[1].position.z, -0.3);
  EXPECT_FALSE(set.grasps[1].confidence.has_value());
}

TEST(GraspFiles, ReadsCsvOfOthers) {
  const GraspSet set = parse_grasps(
      "\xef\xbb\xbf# remark\r\nqw, qx,qy,qz, x_m,y_m,z_m ,\"joint.a, "
      "b\"\r\n1,0,0,0,+0.5,1e-3,0,\r\n\r\n1,0,0,0,0,0,0,2\n",
      "g.csv", GraspFormat::csv);
  ASSERT_EQ(set.grasps.size(), 2u);
  EXPECT_EQ(set.grasps[0].id, "grasp_0");
  EXPECT_EQ(set.grasps[0].position.x, 0.5);
  EXPECT_TRUE(set.grasps[0].joints.empty());
  EXPECT_EQ(set.grasps[1].joints, (std::vector<GraspJoint>{{"a, b", 2.0}}));
}

struct Bad {
  const char* name;
  GraspFormat format;
  const char* text;
  const char* says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }
class BadGraspFile : public testing::TestWithParam<Bad> {};

TEST_P(BadGraspFile, IsRefusedInOneLine) {
  try {
    parse_grasps(GetParam().text, "bad.txt", GetParam().format);
    FAIL() << "read";
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind("bad.txt", 0), 0u) << what;
    EXPECT_NE(what.find(GetParam().says), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

constexpr const char* csv_head = "id,x_m,y_m,z_m,qw,qx,qy,qz\n";
const Bad bad_files[] = {
    {"empty", GraspFormat::csv, "", "is empty"},
    {"no_grasp", GraspFormat::csv, csv_head, "holds no grasp"},
    {"column", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy,qq\n", "did you mean \"qw\""},
    {"missing", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy\n", "the column \"qz\" is missing"},
    {"twice", GraspFormat::csv, "id,id,x_m,y_m,z_m,qw,qx,qy,qz\n", "\"id\" is there twice"},
    {"fields", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy,qz\na,0,0,0,1,0,0\n", ":2: has 7 fields"},
    {"number", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy,qz\na,0,0,zero,1,0,0,0\n",
     ":2: z_m: must be a finite number"},
    {"infinite", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy,qz\na,0,0,inf,1,0,0,0\n", "must be a finite number"},
    {"quaternion", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy,qz\na,0,0,0,1,1,0,0\n", "quaternion has the length"},
    {"same_id", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy,qz\na,0,0,0,1,0,0,0\na,0,0,0,1,0,0,0\n",
     "\"a\" is there twice"},
    {"far", GraspFormat::csv, "id,x_m,y_m,z_m,qw,qx,qy,qz\na,5000,0,0,1,0,0,0\n", "give positions in metres"},
    {"format", GraspFormat::isaac, "format: other\n", "must be isaac_grasp"},
    {"version", GraspFormat::isaac, "format: isaac_grasp\nformat_version: 2.0\n", ":2: format_version"},
    {"no_position", GraspFormat::isaac,
     "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n  a:\n    orientation: {w: 1, xyz: [0, 0, 0]}\n",
     ":4: grasps.a: \"position\" is missing"},
    {"three", GraspFormat::isaac, "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n  a:\n    position: [0, 0]\n",
     "three numbers"},
    {"tab", GraspFormat::isaac, "format: isaac_grasp\ngrasps:\n\ta: 1\n", ":3: is indented by a tab"},
    {"anchor", GraspFormat::isaac, "format: &a isaac_grasp\n", "of a kind that is not read"},
    {"key_twice", GraspFormat::isaac, "format: isaac_grasp\nformat: isaac_grasp\n", ":2: the key \"format\""},
    {"bracket", GraspFormat::isaac, "format: [isaac_grasp\n", "bracket is not closed"},
    {"no_json", GraspFormat::graspgen, "{", "is no JSON"},
    {"no_transforms", GraspFormat::graspgen, "{\"grasps\": {}}", "grasps.transforms: is missing"},
    {"no_rotation", GraspFormat::graspgen,
     "{\"grasps\": {\"transforms\": [[[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]]}}", "is no rigid motion"},
    {"mirrored", GraspFormat::graspgen, "{\"grasps\": {\"transforms\": [[[-1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]]}}",
     "is no rigid motion"},
    {"mask", GraspFormat::graspgen,
     "{\"grasps\": {\"transforms\": [[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]], \"object_in_gripper\": []}}",
     "one entry for each"},
};
INSTANTIATE_TEST_SUITE_P(All, BadGraspFile, testing::ValuesIn(bad_files),
                         [](const testing::TestParamInfo<Bad>& bad) { return bad.param.name; });

TEST(GraspFiles, RefusesWhatIsNoAcronymFile) {
  const Folder folder("grasps_no_h5");
  write_bytes(folder / "g.h5", "no HDF5");
  EXPECT_THROW(read_grasps(folder / "g.h5", GraspFormat::acronym), InputError);
  EXPECT_THROW(read_grasps(folder / "absent.h5", GraspFormat::acronym), InputError);
  EXPECT_THROW(read_grasps(folder / "absent.csv", GraspFormat::csv), InputError);
}

// HDF5 1.10 crashes on a file that a fuzz test damaged. What crashes does so in a process of its own.
TEST(GraspFiles, AFileThatCrashesHdf5IsRefused) {
  EXPECT_FALSE(survives([] { std::raise(SIGSEGV); }));
  EXPECT_TRUE(survives([] { throw InputError("refused"); }));
  EXPECT_THROW(read_grasps(test::source_file("tests/data/crashes_hdf5.h5"), GraspFormat::acronym), InputError);
}

// A gripper whose own frame approaches along x and closes along z, given grasps of GraspGen, 10 mm before its own
// origin: the approach and closing axes and the origin are where the file says.
TEST(GraspFiles, FramesTakeAxesToAxes) {
  Grasp grasp;
  grasp.position = {0.1, 0.2, 0.3};
  grasp.turn = normalised(turn_by({0.4, -0.9, 1.3}));
  GraspFrames frames = usual_frames(GraspFormat::graspgen, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
  frames.origin = {0.01, 0.0, 0.0};
  const SpatialPose own = gripper_pose(grasp, frames);
  const auto near = [](Vec3 a, Vec3 b) { return length(a - b) < 1e-14; };
  EXPECT_TRUE(near(turned(own.turn, {1.0, 0.0, 0.0}), turned(grasp.turn, {0.0, 0.0, 1.0})));
  EXPECT_TRUE(near(turned(own.turn, {0.0, 0.0, 1.0}), turned(grasp.turn, {1.0, 0.0, 0.0})));
  EXPECT_TRUE(near(transformed(own, frames.origin), grasp.position));
  const SpatialPose same = gripper_pose(grasp, usual_frames(GraspFormat::csv, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
  EXPECT_EQ(same.position.x, 0.1);
  EXPECT_TRUE(near(turned(same.turn, {1.0, 0.0, 0.0}), turned(grasp.turn, {1.0, 0.0, 0.0})));
}

TEST(GraspFilesFuzz, DamagedHdf5IsReadOrRefused) {
  const Folder folder("grasps_damaged");
  const std::string whole = write_grasps(some_grasps(GraspFormat::acronym));
  std::mt19937_64 random(test::fuzz_seed(32));
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes = whole;
    for (int k = 0; k <= trial % 4; ++k) bytes[random() % bytes.size()] = static_cast<char>(random() & 0xff);
    if (trial % 7 == 0) bytes.resize(random() % bytes.size());
    write_bytes(folder / "g.h5", bytes);
    try {
      read_grasps(folder / "g.h5", GraspFormat::acronym);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 30);
}

// Damaged text is read or refused, never anything else.
TEST(GraspFilesFuzz, DamagedTextIsReadOrRefused) {
  std::mt19937_64 random(test::fuzz_seed(31));
  for (const GraspFormat format : {GraspFormat::csv, GraspFormat::isaac, GraspFormat::graspgen}) {
    const std::string whole = write_grasps(some_grasps(format));
    int refused = 0;
    for (int trial = 0; trial < 3000; ++trial) {
      std::string text = whole;
      for (int k = 0; k <= trial % 3; ++k) test::damage(text, random);
      try {
        parse_grasps(text, "damaged", format);
      } catch (const InputError& error) {
        ++refused;
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
    EXPECT_GT(refused, 100) << static_cast<int>(format);
  }
}

}  // namespace
}  // namespace pegrasp
