// SPDX-License-Identifier: Apache-2.0
// Grasps as a table: a header that names the columns, then a line for each grasp.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "pegrasp/error.hpp"
#include "src/grasps/grasp_formats.hpp"
#include "src/text/document.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

const std::vector<std::string> needed{"x_m", "y_m", "z_m", "qw", "qx", "qy", "qz"};
const std::vector<std::string> plain{"id", "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz", "opening_m", "confidence"};
constexpr const char* joint_prefix = "joint.";  // of the columns of joints
constexpr const char* open_prefix = "open.";

std::string without_spaces(const std::string& text) {
  const auto from = text.find_first_not_of(" \t");
  return from == std::string::npos ? std::string() : text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// The fields of a line. A field in double quotes may hold commas, and quotes that stand twice.
std::vector<std::string> fields_of(const std::string& line, const std::string& place) {
  std::vector<std::string> fields(1);
  bool quoted = false, was_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        quoted = false;
      }
    } else if (c == ',') {
      if (!was_quoted) fields.back() = without_spaces(fields.back());
      fields.emplace_back();
      was_quoted = false;
    } else if (c == '"' && without_spaces(fields.back()).empty()) {
      fields.back().clear();
      quoted = was_quoted = true;
    } else if (!was_quoted) {
      fields.back() += c;
    } else if (c != ' ' && c != '\t') {
      throw InputError(place + ": text follows a closing quote; put a comma between fields");
    }
  }
  if (quoted) throw InputError(place + ": a quote is not closed; add it at the end of the field");
  if (!was_quoted) fields.back() = without_spaces(fields.back());
  return fields;
}

std::string quoted_if_needed(const std::string& text) {
  if (text.find_first_of(",\" #") == std::string::npos && !text.empty()) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

class Table {
 public:
  Table(const std::string& text, std::string origin) : text_(text), origin_(std::move(origin)) {
    if (text_.compare(0, 3, "\xef\xbb\xbf") == 0) at_ = 3;
  }

  // The fields of the next line that is neither empty nor a remark. False at the end.
  bool next(std::vector<std::string>& fields) {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++line_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const std::string shown = without_spaces(line);
      if (shown.empty() || shown.front() == '#') continue;
      fields = fields_of(line, place());
      return true;
    }
    return false;
  }
  int line() const { return line_; }
  std::string place() const { return origin_ + ":" + std::to_string(line_); }

 private:
  const std::string& text_;
  std::string origin_;
  std::size_t at_ = 0;
  int line_ = 0;
};

double number_of(const std::string& field, const std::string& column, const std::string& place) {
  double value = 0.0;
  const char* const begin = field.data() + (!field.empty() && field.front() == '+' ? 1 : 0);
  const auto result = std::from_chars(begin, field.data() + field.size(), value);
  if (result.ec == std::errc() && result.ptr == field.data() + field.size() && std::isfinite(value)) return value;
  throw InputError(place + ": " + printable(column) + ": must be a finite number, got \"" + printable(field) +
                   "\"; correct it, or leave an optional field empty");
}

void check_header(const std::vector<std::string>& header, const std::string& place) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i];
    for (std::size_t k = 0; k < i; ++k) {
      if (header[k] == name) throw InputError(place + ": the column \"" + printable(name) + "\" is there twice");
    }
    const bool joint = name.rfind(joint_prefix, 0) == 0 && name.size() > std::string(joint_prefix).size();
    const bool open = name.rfind(open_prefix, 0) == 0 && name.size() > std::string(open_prefix).size();
    if (joint || open || std::find(plain.begin(), plain.end(), name) != plain.end()) continue;
    throw InputError(place + ": there is no column \"" + printable(name) + "\"" + suggestion(name, plain) +
                     "; joints are called joint.NAME and open.NAME");
  }
  for (const std::string& name : needed) {
    if (std::find(header.begin(), header.end(), name) != header.end()) continue;
    throw InputError(place + ": the column \"" + name +
                     "\" is missing; begin the file with a line such as id,x_m,y_m,z_m,qw,qx,qy,qz");
  }
}

Grasp grasp_of(const std::vector<std::string>& header, const std::vector<std::string>& fields,
               const std::string& place) {
  Grasp grasp;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i];
    const auto number = [&] { return number_of(fields[i], name, place); };
    double* const slots[] = {&grasp.position.x, &grasp.position.y, &grasp.position.z, &grasp.turn.w,
                             &grasp.turn.x,     &grasp.turn.y,     &grasp.turn.z};
    if (name == "id") {
      grasp.id = fields[i];
    } else if (const auto at = std::find(needed.begin(), needed.end(), name); at != needed.end()) {
      *slots[at - needed.begin()] = number();
    } else if (fields[i].empty()) {
      continue;
    } else if (name == "opening_m") {
      grasp.opening = number();
    } else if (name == "confidence") {
      grasp.confidence = number();
    } else if (name.rfind(open_prefix, 0) == 0) {
      grasp.open_joints.push_back({name.substr(std::string(open_prefix).size()), number()});
    } else {
      grasp.joints.push_back({name.substr(std::string(joint_prefix).size()), number()});
    }
  }
  return grasp;
}

// The names of all joints, each once, in the order in which they come.
std::vector<std::string> joints_of(const GraspSet& set, std::vector<GraspJoint> Grasp::*list) {
  std::vector<std::string> names;
  for (const Grasp& grasp : set.grasps) {
    for (const GraspJoint& joint : grasp.*list) {
      if (std::find(names.begin(), names.end(), joint.name) == names.end()) names.push_back(joint.name);
    }
  }
  return names;
}

}  // namespace

GraspSet read_grasp_csv(const std::string& text, const std::string& origin, std::vector<int>* lines) {
  Table table(text, origin);
  std::vector<std::string> header, fields;
  if (!table.next(header)) throw InputError(origin + ": is empty; begin it with a line that names the columns");
  check_header(header, table.place());
  GraspSet set;
  set.grasps.reserve(std::min(most_grasps + 1, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'))));
  while (table.next(fields)) {
    if (fields.size() != header.size()) {
      throw InputError(table.place() + ": has " + std::to_string(fields.size()) + " fields, but the first line names " +
                       std::to_string(header.size()) + "; give one for each column");
    }
    Grasp grasp = grasp_of(header, fields, table.place());
    if (grasp.id.empty()) grasp.id = "grasp_" + std::to_string(set.grasps.size());
    if (lines != nullptr) lines->push_back(table.line());
    check_grasp(grasp, table.place());
    set.grasps.push_back(std::move(grasp));
    if (set.grasps.size() > most_grasps) break;
  }
  return set;
}

std::string write_grasp_csv(const GraspSet& set) {
  const auto has = [&set](const auto& member) {
    return std::any_of(set.grasps.begin(), set.grasps.end(), [&](const Grasp& g) { return (g.*member).has_value(); });
  };
  const bool opening = has(&Grasp::opening), confidence = has(&Grasp::confidence);
  const std::vector<std::string> open = joints_of(set, &Grasp::open_joints), joints = joints_of(set, &Grasp::joints);
  std::string out = "id,x_m,y_m,z_m,qw,qx,qy,qz";
  if (opening) out += ",opening_m";
  if (confidence) out += ",confidence";
  for (const std::string& name : open) out += "," + quoted_if_needed(open_prefix + name);
  for (const std::string& name : joints) out += "," + quoted_if_needed(joint_prefix + name);
  out += '\n';
  for (const Grasp& grasp : set.grasps) {
    out += quoted_if_needed(grasp.id);
    const Vec3 p = grasp.position;
    const Quaternion q = grasp.turn;
    for (const double value : {p.x, p.y, p.z, q.w, q.x, q.y, q.z}) out += "," + digits_of(value);
    if (opening) out += "," + (grasp.opening ? digits_of(*grasp.opening) : std::string());
    if (confidence) out += "," + (grasp.confidence ? digits_of(*grasp.confidence) : std::string());
    const auto add = [&out](const std::vector<std::string>& names, const std::vector<GraspJoint>& values) {
      for (const std::string& name : names) {
        out += ',';
        for (const GraspJoint& joint : values) {
          if (joint.name == name) out += digits_of(joint.value);
        }
      }
    };
    add(open, grasp.open_joints);
    add(joints, grasp.joints);
    out += '\n';
  }
  return out;
}

}  // namespace pegrasp
