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

// The names of joints, each once, in the order in which they come.
void add_joints(const std::vector<GraspJoint>& list, std::vector<std::string>& names) {
  for (const GraspJoint& joint : list) {
    if (std::find(names.begin(), names.end(), joint.name) == names.end()) names.push_back(joint.name);
  }
}

}  // namespace

std::string GraspCsv::place() const { return origin_ + ":" + std::to_string(line_); }

void GraspCsv::read(std::string_view text, const Visit& visit) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at, end = std::min(text.find('\n', at), text.size());
    std::string line(text.substr(at, end - at));
    at = end + 1;
    if (line_ == 0 && line.compare(0, 3, "\xef\xbb\xbf") == 0) line.erase(0, 3);
    ++line_;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::string shown = without_spaces(line);
    if (shown.empty() || shown.front() == '#') continue;
    fields = fields_of(line, place());
    if (header_.empty()) {
      check_header(fields, place());
      header_ = fields;
      continue;
    }
    if (fields.size() != header_.size()) {
      throw InputError(place() + ": has " + std::to_string(fields.size()) + " fields, but the first line names " +
                       std::to_string(header_.size()) + "; give one for each column");
    }
    Grasp grasp = grasp_of(header_, fields, place());
    if (grasp.id.empty()) grasp.id = "grasp_" + std::to_string(count_);
    check_grasp(grasp, place());
    ++count_;
    if (!visit(grasp, begin)) return;
  }
}

GraspCsv GraspCsv::behind(int line, std::size_t grasps) const {
  GraspCsv other = *this;
  other.line_ = line;
  other.count_ = grasps;
  return other;
}

void GraspCsv::finish() const {
  if (header_.empty()) throw InputError(origin_ + ": is empty; begin it with a line that names the columns");
}

GraspSet read_grasp_csv(const std::string& text, const std::string& origin) {
  GraspCsv csv(origin);
  GraspSet set;
  csv.read(text, [&](Grasp& grasp, std::size_t) {
    set.grasps.push_back(std::move(grasp));
    return set.grasps.size() <= most_grasps;
  });
  csv.finish();
  return set;
}

void write_grasp_csv(const ForEachGrasp& grasps, const PutText& put) {
  bool opening = false, confidence = false;
  std::vector<std::string> open, joints;
  grasps([&](const Grasp& grasp) {
    opening = opening || grasp.opening.has_value();
    confidence = confidence || grasp.confidence.has_value();
    add_joints(grasp.open_joints, open);
    add_joints(grasp.joints, joints);
  });
  std::string out = "id,x_m,y_m,z_m,qw,qx,qy,qz";
  if (opening) out += ",opening_m";
  if (confidence) out += ",confidence";
  for (const std::string& name : open) out += "," + quoted_if_needed(open_prefix + name);
  for (const std::string& name : joints) out += "," + quoted_if_needed(joint_prefix + name);
  out += '\n';
  put(out);
  grasps([&](const Grasp& grasp) {
    out = quoted_if_needed(grasp.id);
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
    put(out);
  });
}

}  // namespace pegrasp
