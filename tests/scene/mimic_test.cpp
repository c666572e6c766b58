// SPDX-License-Identifier: Apache-2.0
// Every <mimic> of every URDF file of the repository becomes a coupling of the joint that has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "src/formats/urdf.hpp"
#include "src/formats/urdf_file.hpp"
#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

// The names of the joints with a <mimic>, read by eye: in files of our own each element begins with its name.
std::vector<std::string> joints_with_mimic(const std::string& text) {
  static const std::regex element("<joint\\s+name=\"([^\"]*)\"|<mimic\\s");
  std::vector<std::string> out;
  std::string joint;
  for (std::sregex_iterator at(text.begin(), text.end(), element), end; at != end; ++at) {
    if ((*at)[1].matched) joint = (*at)[1].str();
    if (!(*at)[1].matched) out.push_back(joint);
  }
  return out;
}

TEST(Mimic, EveryOneBecomesACoupling) {
  if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  int files = 0;
  for (const char* folder : {"examples", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(test::source_file(folder))) {
      if (entry.path().extension() != ".urdf") continue;
      std::vector<std::string> expected = joints_with_mimic(test::content(entry.path()));
      if (expected.empty()) continue;
      SCOPED_TRACE(entry.path());
      ++files;
      SceneSpec scene;
      scene.spatial = true;
      add_urdf(scene, entry.path(), {});
      std::vector<std::string> found;
      for (const CouplingSpec& coupling : scene.couplings) {
        found.push_back(scene.joints[static_cast<std::size_t>(coupling.joint)].name);
      }
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
    }
  }
  EXPECT_GE(files, 4);
}

}  // namespace
}  // namespace pegrasp
