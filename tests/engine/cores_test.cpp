// SPDX-License-Identifier: Apache-2.0
// Threads follow what a batch system leaves a process, not what the machine has.
#include "src/machine/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "pegrasp/simulation.hpp"

namespace pegrasp {
namespace {

TEST(Cores, AreThoseThatTheProcessMayRunOn) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(available_cores(), CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const int cores = available_cores();
  const std::string device = make_backend(BackendKind::cpu, Arithmetic::strict, 0)->device();
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cores, 1);
  EXPECT_EQ(device.rfind("1 thread of ", 0), 0u) << device;
}

TEST(MakeBackend, DevicesThatAreNotThere) {
  const auto refusal = [](BackendKind kind, int device) -> std::string {
    try {
      make_backend(kind, Arithmetic::strict, 0, device);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal(BackendKind::cpu, 0).find("--device 0: the CPU has none; leave it out"), std::string::npos);
  const BackendInfo cuda = backend_info(BackendKind::cuda);
  for (const BackendKind kind : {BackendKind::automatic, BackendKind::cuda}) {
    const std::string said = refusal(kind, cuda.devices);
    EXPECT_EQ(said.rfind("--device " + std::to_string(cuda.devices) + ": ", 0), 0u) << said;
    EXPECT_NE(said.find("leave it out, or name one that is there"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace pegrasp
