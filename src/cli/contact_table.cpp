// SPDX-License-Identifier: Apache-2.0
#include "src/cli/contact_table.hpp"

#include <ostream>

#include "src/cli/common.hpp"
#include "src/cli/contact_names.hpp"

namespace pegrasp::cli {
namespace {

// A text as a cell of CSV (RFC 4180).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number_cell(double value) { return "," + digits17(value == 0.0 ? 0.0 : value); }  // no -0

// The vector divided by `by`.
std::string vector_cells(Vec3 v, double by = 1.0) {
  return number_cell(v.x / by) + number_cell(v.y / by) + number_cell(v.z / by);
}

std::string contact_row(const SceneSpec& scene, const ContactReport& c) {
  return "contact," + std::string(feature_name(c.feature, scene.spatial)) + "," + cell(body_name(scene, c.body_a)) +
         "," + cell(body_name(scene, c.body_b)) + "," + cell(part_name(scene, c.part_a)) + "," +
         cell(part_name(scene, c.part_b)) + vector_cells(c.point) + vector_cells(c.normal) +
         number_cell(c.normal_impulse) + vector_cells(c.impulse) + number_cell(c.normal_impulse / c.duration) +
         vector_cells(c.impulse, c.duration) + vector_cells(c.moment, c.duration) + vector_cells(c.slip) + "," +
         state_name(c.state) + number_cell(c.friction) + number_cell(c.margin);
}

std::string load_row(const SceneSpec& scene, const LoadReport& l) {
  RowReport row;
  row.kind = l.kind;
  row.index = l.index;
  row.row = l.row;
  const RowName name = row_name(scene, row);
  std::string text = std::string(name.kind) + "," + cell(name.name);
  if (l.kind == RowKind::support) text += " point " + std::to_string(l.index % 3);
  if (l.kind == RowKind::limit || l.kind == RowKind::coupling) text += " " + name.row;
  return text + "," + (l.body_a < 0 ? "" : cell(body_name(scene, l.body_a))) + "," + cell(body_name(scene, l.body_b)) +
         ",," + vector_cells(l.point) + ",,,," + vector_cells(l.impulse) + "," + vector_cells(l.impulse, l.duration) +
         vector_cells(l.moment, l.duration) + ",,,,,,";
}

}  // namespace

std::string contacts_heading() {
  return "step,time,kind,name,body_a,body_b,part_a,part_b,x,y,z,nx,ny,nz,normal_impulse,impulse_x,impulse_y,impulse_z,"
         "normal_force,force_x,force_y,force_z,moment_x,moment_y,moment_z,slip_x,slip_y,slip_z,state,friction,margin\n";
}

void append_contacts(std::ostream& out, const SceneSpec& scene, const Simulation& simulation) {
  const StepReport step = simulation.last_step();
  const std::string place = std::to_string(step.step) + "," + digits17(step.time) + ",";
  for (const ContactReport& c : simulation.contents().step_contacts) out << place << contact_row(scene, c) << '\n';
  for (const LoadReport& l : simulation.contents().loads) out << place << load_row(scene, l) << '\n';
}

std::string loads_heading() {
  return ",contact_fx,contact_fy,contact_fz,contact_tx,contact_ty,contact_tz,other_fx,other_fy,other_fz,other_tx,"
         "other_ty,other_tz,normal_force";
}

std::string load_cells(const Simulation& simulation, int body, double h) {
  const std::vector<BodyLoad>& bodies = simulation.contents().bodies;
  const BodyLoad load = bodies.empty() ? BodyLoad{} : bodies[static_cast<std::size_t>(body)];
  return vector_cells(load.contact_impulse, h) + vector_cells(load.contact_turn, h) +
         vector_cells(load.constraint_impulse, h) + vector_cells(load.constraint_turn, h) +
         number_cell(load.normal_impulse / h);
}

}  // namespace pegrasp::cli
