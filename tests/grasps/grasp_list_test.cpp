// SPDX-License-Identifier: Apache-2.0
// Grasps that are read again whenever they are asked for: they are those of the whole file, and a file that has changed
// is noticed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pegrasp/error.hpp"
#include "pegrasp/grasps.hpp"
#include "src/formats/mesh_file.hpp"
#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

// 1,000 grasps with what a table may hold: remarks, empty lines, joints, names in quotes and names left out.
std::string table(const std::string& line_end) {
  std::string text = "\xef\xbb\xbf# grasps" + line_end + "id,x_m,y_m,z_m,qw,qx,qy,qz,opening_m,joint.left" + line_end;
  for (int k = 0; k < 1000; ++k) {
    const std::string id = k % 7 == 0   ? ""
                           : k % 5 == 0 ? "\"a, \"\"b\"\" " + std::to_string(k) + "\""
                                        : "g" + std::to_string(k);
    text += id + "," + std::to_string(1e-3 * k) + ",0.1,0,1,0,0,0," + (k % 3 == 0 ? "" : "0.04") + ",0.01" + line_end;
    if (k % 100 == 99) text += line_end + "# so many" + line_end;
  }
  return text;
}

class Written {
 public:
  explicit Written(const std::string& name, const std::string& bytes)
      : path_(fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_" + name)) {
    write(bytes);
  }
  ~Written() { fs::remove(path_); }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void expect_equal(const Grasp& a, const Grasp& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.position.x, b.position.x);
  EXPECT_EQ(a.turn.w, b.turn.w);
  EXPECT_EQ(a.matrix, b.matrix);
  EXPECT_EQ(a.opening, b.opening);
  EXPECT_EQ(a.joints, b.joints);
  EXPECT_EQ(a.confidence, b.confidence);
}

void expect_grasps_of(const GraspSet& set, const GraspFile& file) {
  ASSERT_EQ(file.size(), set.grasps.size());
  std::size_t next = 0;
  file.for_each([&](const Grasp& grasp) { expect_equal(grasp, set.grasps[next++]); });
  EXPECT_EQ(next, set.grasps.size());
}

TEST(GraspList, HandsOutTheGraspsOfATable) {
  for (const char* line_end : {"\n", "\r\n"}) {
    for (const bool ends : {true, false}) {
      std::string text = table(line_end);
      if (!ends) text += "last,0,0,0,1,0,0,0,,0.02";
      const Written written("list.csv", text);
      const GraspFile file(written.path(), GraspFormat::csv);
      const GraspSet set = parse_grasps(text, "list.csv", GraspFormat::csv);
      expect_grasps_of(set, file);
      EXPECT_EQ(file.contents(), fingerprint(text));
      using Range = std::pair<std::size_t, std::size_t>;
      for (const auto& [first, count] : {Range{0, 1}, Range{255, 2}, Range{256, 256}, Range{700, 300}, Range{3, 0}}) {
        std::size_t next = first;
        file.for_each(first, count, [&](const Grasp& grasp) { expect_equal(grasp, set.grasps[next++]); });
        EXPECT_EQ(next, first + count);
      }
      expect_equal(file.grasp(999), set.grasps[999]);
    }
  }
}

TEST(GraspList, HandsOutThoseOfEveryFormat) {
  GraspSet set = read_grasps(test::source_file("tests/fuzz/seeds/grasps.csv"), GraspFormat::csv);
  for (const auto& [format, name] : {std::pair{GraspFormat::isaac, "list.yaml"},
                                     {GraspFormat::graspgen, "list.json"},
                                     {GraspFormat::acronym, "list.h5"}}) {
    set.format = format;
    const Written written(name, write_grasps(set));
    const GraspFile file(written.path(), format);
    expect_grasps_of(read_grasps(written.path(), format), file);
    EXPECT_EQ(file.about().format, format);
    EXPECT_TRUE(file.about().grasps.empty());
  }
}

TEST(GraspList, NoticesThatItsFileHasChanged) {
  const std::string text = table("\n");
  const auto read_again = [&](const std::string& changed) {
    const Written written("changed.csv", text);
    const GraspFile file(written.path(), GraspFormat::csv);
    written.write(changed);
    file.for_each([](const Grasp&) {});
  };
  EXPECT_NO_THROW(read_again(text));
  std::string other = text;
  other[other.find("0.700000")] = '1';
  for (const std::string& changed : {other, text.substr(0, text.size() / 2), std::string()}) {
    try {
      read_again(changed);
      ADD_FAILURE() << "nothing was noticed";
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("changed.csv: "), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
    }
  }
}

// The words are those of read_grasps(), whatever is wrong.
TEST(GraspList, RefusesWhatTheWholeFileIsRefusedFor) {
  const std::string head = "id,x_m,y_m,z_m,qw,qx,qy,qz\n", good = "a,0,0,0,1,0,0,0\n";
  std::string far_down = head;
  for (int k = 0; k < 600; ++k) far_down += "g" + std::to_string(k) + ",0,0,0,1,0,0,0\n";
  for (const std::string& text :
       {std::string(), std::string("# nothing\n"), head, head + good + good, head + "a,0,0,0,2,0,0,0\n",
        far_down + "b,0,0,x,1,0,0,0\n", far_down + "b,0,0\n", far_down + "g17,0,0,0,1,0,0,0\n"}) {
    const Written written("refused.csv", text);
    const auto refusal = [&](const auto& read) -> std::string {
      try {
        read();
      } catch (const InputError& error) {
        return error.what();
      }
      return "nothing";
    };
    const std::string whole = refusal([&] { read_grasps(written.path(), GraspFormat::csv); });
    EXPECT_NE(whole, "nothing");
    EXPECT_EQ(refusal([&] { GraspFile(written.path(), GraspFormat::csv); }), whole);
  }
  EXPECT_THROW(GraspFile(fs::path(testing::TempDir()) / "no_such.csv", GraspFormat::csv), InputError);
  EXPECT_THROW(GraspFile(fs::path(testing::TempDir()), GraspFormat::csv), InputError);
}

}  // namespace
}  // namespace pegrasp
