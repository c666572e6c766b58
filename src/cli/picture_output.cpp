// SPDX-License-Identifier: Apache-2.0
#include "src/cli/picture_output.hpp"

#include <system_error>

#include "pegrasp/error.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/map/plot_script.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {

void draw_frames(const report::Json& source, const std::filesystem::path& target) {
  // Beside the target, where it can be written if the target can.
  const std::filesystem::path data = target.string() + ".json";
  write_file_atomically(data, source.dump(-1, ' ', false, report::Json::error_handler_t::replace));
  struct Removed {
    const std::filesystem::path& file;
    ~Removed() {
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
    }
  } const removed{data};
  const std::string reason = draw_by_script("draw_replay.py", data, target, "python3-matplotlib and python3-numpy");
  if (!reason.empty()) throw InputError(printable(target.string()) + ": was not drawn: " + reason);
}

}  // namespace pegrasp::cli
