// SPDX-License-Identifier: Apache-2.0
// Reader of [grasps]: a grasp is a cell. The gripper starts where the grasp places it relative to the part.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/formats/mesh_file.hpp"
#include "src/geometry/placement.hpp"
#include "src/grasps/grasp_formats.hpp"
#include "src/problem/grasp_places.hpp"
#include "src/problem/grasp_readers.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

constexpr double motor_onset = 0.01;  // [s] in which a motor comes to its speed

// The root of a covariance by Cholesky's method; nothing where the matrix is no covariance. A variance may be 0.
bool cholesky(const std::array<double, 36>& matrix, std::array<double, 36>& root) {
  root.fill(0.0);
  double largest = 0.0;
  for (std::size_t i = 0; i < 6; ++i) largest = std::max(largest, matrix[7 * i]);
  const double least = 1e-14 * largest;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (std::fabs(matrix[6 * i + j] - matrix[6 * j + i]) > 1e-9 * largest) return false;
      double sum = matrix[6 * i + j];
      for (std::size_t k = 0; k < j; ++k) sum -= root[6 * i + k] * root[6 * j + k];
      if (i == j) {
        if (sum < -least) return false;
        root[7 * i] = std::sqrt(std::max(0.0, sum));
      } else if (root[7 * j] > 0.0) {
        root[6 * i + j] = sum / root[7 * j];
      } else if (std::fabs(sum) > least) {
        return false;
      }
    }
  }
  return true;
}

class GraspReader {
 public:
  GraspReader(ReadContext& context, const Node* node, const Protocol& protocol, const GivenGripper& given,
              bool own_success, Problem& problem)
      : context_(context),
        section_(context, node, "grasps", keys::grasps),
        protocol_(protocol),
        given_(given),
        own_success_(own_success),
        problem_(problem),
        scene_(problem.scene) {}

  Node read() {
    read_file();
    find_bodies();
    read_frames();
    const Gripper gripper(scene_, base_);
    check_gripper(gripper);
    read_fingers(gripper);
    read_motors(gripper);
    add_cells(gripper);
    section_.raw("protocol");  // its contents are in [protocol]
    if (const Node* error = section_.raw("pose_error"); error != nullptr) read_pose_error(*error);
    problem_.grasps.part = part_;
    problem_.grasps.gripper = gripper.bodies();
    add_protocol(protocol_, axes_, gripper, part_, own_success_, scene_);
    return section_.finish(true);
  }

 private:
  // Whether [gripper] describes the gripper, which points along -z.
  bool is_parametric() const { return given_.parametric.motor >= 0 && given_.parametric.first == base_; }
  const BodySpec& body(int index) const { return scene_.bodies[static_cast<std::size_t>(index)]; }
  const JointSpec& joint(int index) const { return scene_.joints[static_cast<std::size_t>(index)]; }

  void read_file() {
    GraspCells& cells = problem_.grasps;
    cells.file = section_.file("file");
    const std::optional<GraspFormat> usual = format_of(cells.file);
    if (!usual && !section_.has("format")) {
      section_.fail("file",
                    "does not say its format by its ending; add format = \"csv\", \"isaac\", \"graspgen\" or "
                    "\"acronym\"");
    }
    const auto format = static_cast<GraspFormat>(section_.choice(
        "format", grasp_format_names(), usual ? std::optional<int>(static_cast<int>(*usual)) : std::nullopt));
    cells.list = std::make_shared<const GraspFile>(cells.file, format);
    section_.check_contents(cells.list->contents());
  }

  void find_bodies() {
    const auto found = [&](const char* key) {
      return find_body(context_, section_.raw(key), section_.at(key), scene_, section_.text(key, std::string(key)));
    };
    part_ = found("part");
    base_ = found("gripper");
    if (body(part_).kind != BodyKind::dynamic) section_.fail("part", "is not dynamic; name the body to be held");
    if (body(base_).kind != BodyKind::kinematic) {
      section_.fail("gripper", "is not kinematic; set kind = \"kinematic\", or base = \"kinematic\" of a [[urdf]]");
    }
    if (is_parametric()) scene_.bodies[static_cast<std::size_t>(base_)].spatial().motion.clear();
    if (!body(base_).spatial().motion.empty()) {
      section_.fail("gripper", "has a motion of its own, but the protocol moves it; remove the motion");
    }
  }

  Vec3 unit_axis(const char* key, Vec3 fallback) {
    return read_axis(section_, key, {fallback.x, fallback.y, fallback.z});
  }

  void read_frames() {
    axes_.approach = unit_axis("approach", {0.0, 0.0, is_parametric() ? -1.0 : 1.0});
    axes_.closing = unit_axis("closing", {1.0, 0.0, 0.0});
    frames_ = usual_frames(problem_.grasps.list->about().format, axes_.approach, axes_.closing);
    frames_.file_approach = unit_axis("file_approach", frames_.file_approach);
    frames_.file_closing = unit_axis("file_closing", frames_.file_closing);
    const std::vector<double> origin =
        section_.numbers("file_origin", quantity::length, 3, 3, any_number, {0.0, 0.0, 0.0});
    frames_.origin = {origin[0], origin[1], origin[2]};
    const auto across = [](Vec3 a, Vec3 b) { return std::fabs(dot(a, b)) < 1e-6; };
    if (!across(axes_.approach, axes_.closing)) section_.fail("closing", "is not square to approach; correct one");
    if (!across(frames_.file_approach, frames_.file_closing)) {
      section_.fail("file_closing", "is not square to file_approach; correct one");
    }
  }

  void check_gripper(const Gripper& gripper) {
    for (const int member : gripper.bodies()) {
      if (member == part_) section_.fail("part", "is joined to the gripper; name a body that is free");
      if (member != base_ && body(member).kind != BodyKind::dynamic) {
        section_.fail("gripper", "holds body \"" + body(member).name + "\", which is not dynamic; make it dynamic");
      }
    }
    for (const ProtocolPhase& phase : protocol_.phases) {
      if (phase.close) return;
      if (length(phase.turn) > 0.0) {
        section_.fail("", "the protocol turns the gripper before it closes, which is not known; move it alone");
      }
    }
  }

  // A table of coordinates of joints, such as open_slides_mm = { left = 40 }.
  void read_coordinates(const Gripper& gripper, const std::string& base, const Quantity& quantity, bool turn,
                        std::vector<GraspJoint>& out) {
    for (const Unit& unit : quantity.units) {
      const std::string key = unit_key(base, unit);
      const Node* node = section_.raw(key);
      if (node == nullptr) continue;
      if (node->type != Node::Type::table) section_.fail(key, "must be a table; write { NAME_OF_A_JOINT = 30 }");
      for (const auto& [name, value] : node->members) {
        const std::string path = section_.at(key) + "." + printable(name);
        const int at = find_joint(gripper, name, key);
        if ((joint(at).kind == JointKind::revolute) != turn)
          section_.fail(key, "names \"" + name + "\", which does " + std::string(turn ? "not turn" : "not slide"));
        out.push_back({name, checked_number(context_, value, path, quantity, unit, any_number)});
      }
      section_.put(key, *node);
    }
  }

  int find_joint(const Gripper& gripper, const std::string& name, const std::string& key) const {
    const std::vector<std::string> names = gripper.joint_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      section_.fail(key, "the gripper has no joint \"" + printable(name) + "\"" + suggestion(name, names));
    }
    return gripper.joints()[static_cast<std::size_t>(found - names.begin())];
  }

  void read_fingers(const Gripper& gripper) {
    read_coordinates(gripper, "open_slides", quantity::length, false, open_);
    read_coordinates(gripper, "open_turns", quantity::angle, true, open_);
    read_coordinates(gripper, "closed_slides", quantity::length, false, closed_);
    read_coordinates(gripper, "closed_turns", quantity::angle, true, closed_);
    std::vector<int> joints = gripper.limited_joints();
    std::erase_if(joints, [this](int at) {
      return std::any_of(given_.added.begin(), given_.added.end(),
                         [at](const ActuatorSpec& spring) { return spring.joint == at && spring.stiffness > 0.0; });
    });
    if (section_.has("fingers")) {
      joints.clear();
      for (const std::string& name : section_.texts("fingers", 1, 1000)) {
        joints.push_back(find_joint(gripper, name, "fingers"));
      }
    }
    if (joints.empty()) section_.fail("fingers", "is missing, and no joint of the gripper has limits; name its joints");
    for (const int at : joints) {
      const std::string& name = joint(at).name;
      const std::optional<JointRange> range = gripper.range(at);
      const double* given = value_of(closed_, name);
      const std::optional<double> closed =
          given != nullptr ? std::optional<double>(*given) : gripper.closed_end(at, axes_.closing);
      if (!closed) fail_to_close(gripper, at);
      const double* start = value_of(open_, name);
      double open = gripper.described()[gripper.index_of(at)];
      if (start != nullptr) {
        open = *start;
      } else if (range) {
        open = std::fabs(range->low - *closed) > std::fabs(range->high - *closed) ? range->low : range->high;
      }
      fingers_.push_back({at, *closed, open});
    }
  }

  // The axis across those given may be the one along which the finger closes.
  [[noreturn]] void fail_to_close(const Gripper& gripper, int at) const {
    const std::string& name = joint(at).name;
    const char* const key = joint(at).kind == JointKind::revolute ? "closed_turns_deg" : "closed_slides_mm";
    const std::string by_hand = std::string(key) + " = { " + name + " = ... }";
    Vec3 across = cross(axes_.approach, axes_.closing);
    if (across.x + across.y + across.z < 0.0) across = -1.0 * across;  // either sign will do
    if (!gripper.closed_end(at, across)) {
      section_.fail("", "which way does joint \"" + name + "\" close? add " + by_hand);
    }
    const auto number = [](double x) { return digits_of(x == 0.0 ? 0.0 : x); };
    const std::string x = number(across.x), y = number(across.y), z = number(across.z);
    section_.fail("", "joint \"" + name + "\" does not move along the closing axis, but it does along " + x + " " + y +
                          " " + z + ": set closing = [" + x + ", " + y + ", " + z + "] (of evaluate --closing " + x +
                          " " + y + " " + z + "), or add " + by_hand);
  }

  // Fingers whose joints have motors already use these from the moment when the protocol closes them.
  void read_motors(const Gripper& gripper) {
    const bool turn = std::any_of(fingers_.begin(), fingers_.end(),
                                  [&](const Finger& f) { return joint(f.joint).kind == JointKind::revolute; });
    const bool slide = std::any_of(fingers_.begin(), fingers_.end(),
                                   [&](const Finger& f) { return joint(f.joint).kind == JointKind::prismatic; });
    const double begin = protocol_.begin_of(protocol_.closing());
    std::vector<Finger> without;
    ActuatorSpec* const own =
        is_parametric() ? &given_.added[static_cast<std::size_t>(given_.parametric.motor)] : nullptr;
    if (own != nullptr) {
      const double closes = own->program.back().target;
      own->program = {{begin, 0.0, {}}, {begin + motor_onset, closes, {}}};
    }
    for (const Finger& finger : fingers_) {
      bool driven = own != nullptr && own->joint == finger.joint;
      for (ActuatorSpec& actuator : scene_.actuators) {
        if (actuator.joint != finger.joint) continue;
        driven = true;
        if (!actuator.program.empty() || actuator.kind == ActuatorKind::position_servo) continue;
        actuator.program = {{begin, -actuator.target, {}}, {begin + motor_onset, 0.0, {}}};
      }
      if (!driven) without.push_back(finger);
    }
    if (without.empty()) return;
    section_.set_label("grasps");
    const auto value = [&](bool wanted, const char* key, const Quantity& quantity, double fallback) {
      return wanted ? section_.value(key, quantity, fallback, positive) : Value{};
    };
    const Value force = value(slide, "force", quantity::force, 20.0);
    const Value torque = value(turn, "torque", quantity::torque, 1.0);
    const double speed = slide ? section_.number("speed", quantity::speed, 100.0, positive) : 0.0;
    const double rate = turn ? section_.number("turn_speed", quantity::angular_speed, 90.0, positive) : 0.0;
    // Of its drive's friction a finger keeps where it is, until it is pushed by more.
    const double share = section_.number("drive_friction", quantity::number, 0.5, not_negative);
    for (const Finger& finger : without) {
      const bool turns = joint(finger.joint).kind == JointKind::revolute;
      const double sign = finger.closed < finger.open ? -1.0 : 1.0;
      const std::vector<TargetKey> closes{{begin, 0.0, {}}, {begin + motor_onset, sign * (turns ? rate : speed), {}}};
      // The force is that of each finger, and coupled ones share what their motor gives; a torque is that of the motor.
      const double times = turns ? 1.0 : gripper.joints_with(finger.joint);
      add_motor(finger, "_closes", turns ? torque : force, times * (1.0 + share), closes);
      if (share > 0.0) add_motor(finger, "_drive_friction", turns ? torque : force, times * share, {});
    }
  }

  // A servo that keeps the speed of its program, or stands still, with at most `share` of the force.
  void add_motor(const Finger& finger, const char* ending, const Value& force, double share,
                 const std::vector<TargetKey>& program) {
    ActuatorSpec motor;
    motor.name = joint(finger.joint).name + ending;
    motor.kind = ActuatorKind::velocity_servo;
    motor.joint = finger.joint;
    motor.rotary = joint(finger.joint).kind == JointKind::revolute;
    motor.limit = share * force.nominal;
    motor.program = program;
    context_.uncertainties->bind(
        context_, force, section_.at(motor.rotary ? "torque" : "force"),
        {TargetSlot::Kind::actuator, static_cast<int>(scene_.actuators.size()), ParameterLayout::actuator_limit},
        share);
    scene_.actuators.push_back(motor);
  }

  // Where the bodies of the gripper begin is computed whenever it is asked for. Here every grasp is tried once.
  void add_cells(const Gripper& gripper) {
    GraspCells& cells = problem_.grasps;
    const ParameterLayout layout = parameter_layout(scene_);
    const ProtocolStart start = start_of(protocol_, axes_);
    for (const int member : gripper.bodies()) {
      for (int i = 0; i < layout.pose_size(); ++i) cells.slot.push_back(layout.pose(member) + i);
    }
    const auto places = std::make_shared<const GraspPlaces>(scene_, base_, part_, frames_, start, fingers_);
    cells.append_values = [places](const Grasp& grasp, std::vector<double>& out) { places->append(grasp, out); };
    std::vector<double> values;
    std::size_t index = 0;
    cells.list->for_each([&](const Grasp& grasp) {
      try {
        values.clear();
        places->append(grasp, values);
      } catch (const UnfitGrasp& unfit) {
        const int line = line_of_grasp(cells.file, cells.list->about().format, index);
        throw InputError(printable(cells.file.string()) + (line > 0 ? ":" + std::to_string(line) : std::string()) +
                         ": grasp \"" + printable(grasp.id) + "\": " + unfit.what());
      }
      ++index;
    });
    problem_.grid.x.resize(cells.size());
    std::iota(problem_.grid.x.begin(), problem_.grid.x.end(), 0.0);
    problem_.grid.y = {0.0};
    problem_.grid.x_name = "grasp";
    cells.error.lever = -1.0 * start.own;
  }

  void read_pose_error(const Node& node) {
    Section section(context_, &node, "grasps.pose_error", keys::pose_error);
    UncertainPose& error = problem_.grasps.error;
    static const std::vector<std::string> frames{"gripper", "part"};
    error.own = section.choice("along", frames, 0) == 0;
    error.axes = start_pose(body(part_).spatial()).turn;
    error.name = "pose_error";
    error.body = base_;
    error.stream = context_.uncertainties->claim_stream(context_, error.name, 6);
    const bool sd = section.has("sd", quantity::length) || section.has("sd_turn", quantity::angle);
    const int given = (sd ? 1 : 0) + (section.has("covariance") ? 1 : 0) + (section.has("offsets") ? 1 : 0);
    if (given != 1) section.fail("", "needs one of sd_mm with sd_turn_deg, covariance, and offsets; give one");
    if (sd) {
      const std::vector<double> none{0.0, 0.0, 0.0};
      const std::vector<double> shift = section.numbers("sd", quantity::length, 3, 3, not_negative, none);
      const std::vector<double> turn = section.numbers("sd_turn", quantity::angle, 3, 3, not_negative, none);
      for (std::size_t i = 0; i < 3; ++i) {
        error.root[7 * i] = shift[i];
        error.root[7 * (i + 3)] = turn[i];
      }
    } else if (section.has("covariance")) {
      std::array<double, 36> matrix{};
      const std::vector<std::vector<double>> rows = section.rows("covariance", quantity::number, 6, 6, 6);
      for (std::size_t i = 0; i < 36; ++i) matrix[i] = rows[i / 6][i % 6];
      if (!cholesky(matrix, error.root)) {
        section.fail("covariance",
                     "is no covariance; give a symmetric matrix without negative eigenvalues, in m and rad");
      }
    } else {
      for (const std::vector<double>& row : section.rows("offsets", quantity::number, 6, 1)) {
        error.offsets.insert(error.offsets.end(), row.begin(), row.end());
      }
      const std::size_t count = error.offsets.size() / 6;
      error.weights =
          section.numbers("weights", quantity::number, count, count, positive, std::vector<double>(count, 1.0));
    }
    section_.put("pose_error", section.finish(true));
  }

  ReadContext& context_;
  Section section_;
  const Protocol& protocol_;
  const GivenGripper& given_;
  bool own_success_;
  Problem& problem_;
  SceneSpec& scene_;
  int part_ = -1, base_ = -1;
  GripperAxes axes_;
  GraspFrames frames_;
  std::vector<GraspJoint> open_, closed_;
  std::vector<Finger> fingers_;
};

}  // namespace

std::optional<Protocol> read_protocol_of(ReadContext& context, Section& root) {
  const Node* grasps = root.raw("grasps");
  const Node* given = root.raw("protocol");
  if (grasps == nullptr) {
    if (given != nullptr) root.fail("protocol", "is for problems with [grasps]; add them or remove it");
    return std::nullopt;
  }
  const Node* name = grasps->find("protocol");
  if (given != nullptr && name != nullptr) {
    root.fail("protocol", "stands beside grasps.protocol; give one of the two");
  }
  if (name != nullptr && name->type != Node::Type::text) {
    context.fail(name, "grasps.protocol", "must be a name in quotes, such as \"lift\", or the path of a file");
  }
  Node loaded, resolved;
  if (given == nullptr) {
    try {
      loaded = find_protocol(name == nullptr ? "lift" : name->text, context.folder);
    } catch (const InputError& error) {
      context.fail(name == nullptr ? grasps : name, "grasps.protocol", error.what());
    }
  }
  const Protocol protocol = read_protocol(context, given == nullptr ? loaded : *given, resolved);
  root.put("protocol", std::move(resolved));
  return protocol;
}

void read_grasp_cells(ReadContext& context, Section& root, const Protocol& protocol, const GivenGripper& given,
                      bool own_success, Problem& problem) {
  const Node* node = root.raw("grasps");
  root.put("grasps", GraspReader(context, node, protocol, given, own_success, problem).read());
}

}  // namespace pegrasp
