// SPDX-License-Identifier: Apache-2.0
// What may be the name of a body, a part, an actuator, an uncertain parameter or a group. Names become paths in map.h5,
// where '/' parts them and a zero byte ends them; '.' joins them in body.part and --set; and they stand in messages of
// one line. A name that breaks one of these would do so only once a map is finished.
#pragma once

#include <algorithm>
#include <string>

namespace pegrasp {

inline constexpr const char* name_rule =
    "must be a name without points, slashes and control characters; write one such as \"left_finger\"";

inline bool is_name(const std::string& text) {
  const auto unfit = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '.' || c == '/' || byte < 0x20 || byte == 0x7f;
  };
  return !text.empty() && std::none_of(text.begin(), text.end(), unfit);
}

}  // namespace pegrasp
