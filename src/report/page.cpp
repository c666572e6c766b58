// SPDX-License-Identifier: Apache-2.0
#include "src/report/page.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "pegrasp/error.hpp"
#include "src/machine/script.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp::report {
namespace {

constexpr std::size_t largest_piece = 16u << 20;  // [bytes] of a file that goes into a page

std::string contents(const std::filesystem::path& file) {
  try {
    return read_file(file, largest_piece);
  } catch (const ReadError& error) {
    throw InputError(file.string() + ": " + error.what());
  }
}

std::string piece(const std::string& name) {
  const std::filesystem::path file = find_shared(std::filesystem::path("page") / name);
  if (file.empty()) {
    throw InputError("share/pegrasp/page/" + name + " was not found beside the program; install pegrasp again");
  }
  return contents(file);
}

// A script as it may stand in HTML: an end of the element can only be part of a text in it.
std::string script_text(std::string script) {
  for (std::size_t at = 0; (at = script.find("</", at)) != std::string::npos; at += 3) {
    if (script.compare(at + 2, 6, "script") == 0) script.insert(at + 1, "\\");
  }
  return script;
}

bool in_space(const Json& data) {
  const Json& scenes = data.at("scenes");
  return std::any_of(scenes.begin(), scenes.end(), [](const Json& scene) { return scene.at("spatial").get<bool>(); });
}

// The template with every {{name}} replaced, in one pass: what is put in is not looked at again.
std::string filled(const std::string& text, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find("{{", at);
    const std::size_t close = open == std::string::npos ? open : text.find("}}", open);
    if (close == std::string::npos) return out + text.substr(at);
    out += text.substr(at, open - at);
    const std::string name = text.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : values) {
      if (key == name) out += value;
    }
    at = close + 2;
  }
}

}  // namespace

std::string html_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string script_json(const Json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {  // stands in texts alone
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

Library three_js(const std::filesystem::path& debian) {
  std::error_code ignored;
  std::filesystem::path folder = find_shared("three");
  if (folder.empty() && std::filesystem::exists(debian / "three.min.js", ignored)) folder = debian;
  if (folder.empty()) {
    throw InputError("three.js was not found, which draws scenes in 3D; install Debian's package libjs-three");
  }
  return {contents(folder / "three.min.js"), contents(folder / "examples" / "js" / "controls" / "OrbitControls.js"),
          piece("three_licence.txt")};
}

std::string page(const Json& data) {
  const bool spatial = in_space(data);
  std::string library, licence;
  if (spatial) {
    const Library three = three_js();
    library = "<script>\n" + script_text(three.script) + "\n" + script_text(three.controls) + "\n</script>";
    licence = html_text(three.licence);
  }
  std::string script;
  for (const char* name :
       {"codec.js", "dom.js", "view2d.js", "view3d.js", "player.js", "heatmap.js", "sections.js", "page.js"}) {
    script += piece(name);
  }
  // Valid UTF-8, as the JSON text has it.
  const std::string title = Json::parse(data.at("title").dump(-1, ' ', false, Json::error_handler_t::replace));
  return filled(piece("page.html"), {{"title", html_text(title)},
                                     {"style", piece("page.css")},
                                     {"data", script_json(data)},
                                     {"library", library},
                                     {"licence", licence},
                                     {"script", script_text(script)}});
}

}  // namespace pegrasp::report
