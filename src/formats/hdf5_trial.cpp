// SPDX-License-Identifier: Apache-2.0
#include "src/formats/hdf5_trial.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "pegrasp/problem.hpp"
#include "src/text/printable.hpp"

namespace pegrasp {

bool survives(const std::function<void()>& work) {
  constexpr unsigned longest = 30;  // [s]
  constexpr rlim_t most_work = 3;   // [s] of processor time
  const pid_t child = fork();
  if (child < 0) return true;  // there is no process to spare
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const rlimit bounded{most_work, most_work};
    setrlimit(RLIMIT_CPU, &bounded);
    alarm(longest);
    try {
      work();
    } catch (...) {
      // What is wrong is said by the process that reads in earnest.
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void try_reading(const std::filesystem::path& file, const std::function<void()>& read) {
  constexpr std::uintmax_t most_tried = std::uintmax_t{64} << 20;  // [bytes]
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size > most_tried || survives(read)) return;
  throw InputError(printable(file.string()) + ": the HDF5 library fails on it: it is damaged; make it anew");
}

bool is_usual_number(hid_t type) {
  const hid_t usual[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE, H5T_STD_I8LE,  H5T_STD_U8LE,
                         H5T_STD_I16LE,  H5T_STD_U16LE,  H5T_STD_I32LE,  H5T_STD_U32LE,  H5T_STD_I64LE, H5T_STD_U64LE,
                         H5T_STD_I16BE,  H5T_STD_U16BE,  H5T_STD_I32BE,  H5T_STD_U32BE,  H5T_STD_I64BE, H5T_STD_U64BE};
  return std::any_of(std::begin(usual), std::end(usual), [type](hid_t one) { return H5Tequal(type, one) > 0; });
}

}  // namespace pegrasp
