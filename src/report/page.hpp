// SPDX-License-Identifier: Apache-2.0
// One HTML file that opens without a network: template, style, scripts, data, and three.js where bodies are in 3D.
#pragma once

#include <filesystem>
#include <string>

#include "src/report/drawing.hpp"

namespace pegrasp::report {

// Text as it may stand in HTML, in and between tags.
std::string html_text(const std::string& text);
// JSON as it may stand in a script element: no name in it can end the element.
std::string script_json(const Json& data);

// data: what the page shows, with "title", and "scenes" as drawing_of() makes them. Throws InputError, one line, where
// a file of the page is missing, or three.js is and a scene is in 3D.
std::string page(const Json& data);

// three.js of share/pegrasp/three, or of Debian's libjs-three. Throws InputError where it is missing.
struct Library {
  std::string script, controls, licence;
};
Library three_js(const std::filesystem::path& debian = "/usr/share/javascript/three");

}  // namespace pegrasp::report
