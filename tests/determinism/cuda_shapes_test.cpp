// SPDX-License-Identifier: Apache-2.0
// Teams of any size, workspaces in either memory: the same bytes as on one thread of the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/determinism/cases.hpp"
#include "tests/determinism/slice.hpp"

namespace pegrasp::test {
namespace {

TEST(CudaTeams, ThatAreNotThereAreRefusedAtOnce) {
  EXPECT_THROW(make_backend(BackendKind::cpu, Arithmetic::strict, 1, std::nullopt,
                            {5, CudaShape::Memory::global, CudaShape::Memory::global}),
               std::runtime_error);
}

TEST(CudaTeams, OfThisBuild) {
  const std::vector<int> sizes = cuda_team_sizes();
  ASSERT_EQ(sizes.empty(), !backend_info(BackendKind::cuda).built);
  if (sizes.empty()) return;
  EXPECT_NE(std::find(sizes.begin(), sizes.end(), 8), sizes.end());
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

class CudaShapes : public testing::Test {
 protected:
  void SetUp() override {
    const BackendInfo cuda = backend_info(BackendKind::cuda);
    if (!cuda.available) GTEST_SKIP() << cuda.detail;
  }
  static Results run(const SceneBatchCase& batch, CudaShape shape) {
    Results out;
    out.outcomes.resize(static_cast<std::size_t>(batch.scenes()));
    out.poses.resize(static_cast<std::size_t>(batch.scenes() * batch.body_count * batch.pose_size));
    make_backend(BackendKind::cuda, Arithmetic::strict, 1, std::nullopt, shape)
        ->run(*batch.model, batch.options, batch.parameters, out.outcomes, out.poses, nullptr);
    return out;
  }
};

struct ShapedCase {
  const char* name;
  SceneBatchCase (*batch)();
};
void PrintTo(const ShapedCase& shaped, std::ostream* out) { *out << shaped.name; }

class CudaShapesOf : public CudaShapes, public testing::WithParamInterface<ShapedCase> {};

TEST_P(CudaShapesOf, GiveTheBytesOfTheCpu) {
  const SceneBatchCase batch = as_asked(GetParam().batch());
  const Results cpu = run_all(batch, 1, Arithmetic::strict, BackendKind::cpu);
  for (const int size : cuda_team_sizes()) {
    for (const auto memory : {CudaShape::Memory::global, CudaShape::Memory::shared, CudaShape::Memory::interleaved}) {
      if (memory == CudaShape::Memory::interleaved && size != 1) continue;  // would be global
      for (const auto model : {CudaShape::Memory::global, CudaShape::Memory::shared}) {
        EXPECT_EQ(difference(run(batch, {size, memory, model}), cpu), "")
            << "teams of " << size << ", workspaces " << static_cast<int>(memory) << ", model "
            << static_cast<int>(model);
      }
    }
  }
}

// From scenes that fit into shared memory many times to ones that hardly do.
INSTANTIATE_TEST_SUITE_P(Scenes, CudaShapesOf,
                         testing::Values(ShapedCase{"gear", [] { return gear_case(40); }},
                                         ShapedCase{"pile", [] { return pile_case(1, 8); }},
                                         ShapedCase{"stack", [] { return stack_case(2, 6); }},
                                         ShapedCase{"box", [] { return box_case(3); }},
                                         ShapedCase{"mixed_3d", [] { return space_case(1, true, 6); }},
                                         ShapedCase{"box_3d", [] { return space_case(1, false, 3); }}),
                         [](const auto& info) { return std::string(info.param.name); });

// A gear's workspace fits into a block's shared memory, and is put there; a pile of twenty's does not, and goes
// elsewhere.
TEST_F(CudaShapes, AreTheOnesAskedForWhereTheyFit) {
  const auto lay = [](const SceneBatchCase& whole, CudaShape::Memory memory, int team_size = 8) {
    const SceneBatchCase batch = as_asked(whole);
    Results out;
    out.outcomes.resize(static_cast<std::size_t>(batch.scenes()));
    out.poses.resize(static_cast<std::size_t>(batch.scenes() * batch.body_count * batch.pose_size));
    const auto backend = make_backend(BackendKind::cuda, Arithmetic::strict, 1, std::nullopt,
                                      {team_size, memory, CudaShape::Memory::global});
    backend->run(*batch.model, batch.options, batch.parameters, out.outcomes, out.poses, nullptr);
    return backend->shape();
  };
  EXPECT_NE(lay(gear_case(4), CudaShape::Memory::shared).find("bytes in shared memory, the model"), std::string::npos);
  EXPECT_NE(lay(gear_case(4), CudaShape::Memory::global).find("bytes in global memory, the model"), std::string::npos);
  Variant everything;
  everything.contact = ContactModel::standard;
  everything.duration = 0.02;
  const SceneBatchCase large = pile_case(1, 20, everything);
  EXPECT_NE(lay(large, CudaShape::Memory::shared).find("bytes in global memory, the model"), std::string::npos);
  EXPECT_NE(lay(gear_case(4), CudaShape::Memory::interleaved).find("bytes in global memory"), std::string::npos);
  const std::vector<int> sizes = cuda_team_sizes();
  if (std::find(sizes.begin(), sizes.end(), 1) == sizes.end()) return;
  EXPECT_NE(lay(gear_case(4), CudaShape::Memory::interleaved, 1).find("bytes in interleaved memory"),
            std::string::npos);
  EXPECT_NE(lay(large, CudaShape::Memory::interleaved, 1).find("bytes in global memory"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp::test
