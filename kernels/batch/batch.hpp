// SPDX-License-Identifier: Apache-2.0
// The memory of a batch on the batched strategy, and its way from parameters to outcomes.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/batch/round.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Arrays whose length changes from round to round. Buffer::capacity(n) provides memory for n entries and returns its
// address.
template <class Device>
struct BatchBuffers {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  Buffer<std::uint64_t> pair_key;
  Buffer<NearPair> pairs[2];
  Buffer<int> meets, capacity_first, contact_first;
  Buffer<EndOfPair> pair_end;
  Buffer<Contact> contact_capacity, contacts;
  Buffer<int> block_island, island_block;
  Buffer<Partial> piece;
  Buffer<int> block_scene, entry_body, entry, jacobian_first, jacobian_column, response_column;
  Buffer<Block> blocks;
  Buffer<Row> rows;
  Buffer<Real> jacobian_value, response_value;
  Buffer<Real> vectors[9], block_vectors[3], proof_vectors[4];
  Buffer<WarmContact> fresh, kept[2];
  Buffer<int> kept_first[2], stays, comes, pair_fresh, pair_owner, owned_pair, pair_of_part, link_end, link;
  Buffer<Partial> step_piece;
  int turn = 0;       // which of pairs is at hand
  int kept_turn = 0;  // and which of kept
  int pair_total = 0;
  int block_total = 0;
  int kept_total = 0;
  bool islands_known = false;  // of scenes that are stepped as one

  void make_capacity(BatchView& b, int count) {
    b.block_scene = block_scene.capacity(count);
    b.contacts = contacts.capacity(count);
    b.blocks = blocks.capacity(count);
    b.rows = rows.capacity(b.block_height * count);
    b.entry_body = entry_body.capacity(2 * count);
    b.entry = entry.capacity(2 * count);
    b.block_island = block_island.capacity(count);
    b.island_block = island_block.capacity(count);
    b.jacobian.first = jacobian_first.capacity(count + 1);
    b.jacobian.column = jacobian_column.capacity(2 * count);
    b.jacobian.value = jacobian_value.capacity(2 * b.block_height * dof * count);
    b.response.column = response_column.capacity(2 * count);
    b.response.value = response_value.capacity(2 * b.block_height * dof * count);
    Real** const vector[] = {&b.bias, &b.compliance, &b.scale, &b.p, &b.q, &b.y, &b.w, &b.wq, &b.wy};
    for (int i = 0; i < 9; ++i) *vector[i] = vectors[i].capacity(b.block_height * count);
    Real** const proof_vector[] = {&b.w_free, &b.p_before, &b.w_before, &b.p_mark};
    for (int i = 0; i < 4 && b.squeezes != 0; ++i) {
      *proof_vector[i] = proof_vectors[i].capacity(b.block_height * count);
    }
    Real** const block_vector[] = {&b.change, &b.defect, &b.climb};
    for (int i = 0; i < 3; ++i) *block_vector[i] = block_vectors[i].capacity(count);
  }
};

template <class Device>
class Batch {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  // host: the model's arrays on the host. on_device: the same where the device reads them. Throws std::invalid_argument
  // for the contact models peg_features and ratio.
  Batch(Device& device, const ModelView& host, const ModelView* on_device, const StepOptions& options)
      : device_(device), host_(host) {
    if (options.contact == ContactModel::peg_features || options.contact == ContactModel::ratio) {
      throw std::invalid_argument("the batched strategy takes contact models other than peg-features and ratio");
    }
    view_.model = on_device;
    view_.options = options;
    view_.bodies = host.body_count;
    view_.parts = host.part_count;
    view_.by_islands = has_islands && options.islands ? 1 : 0;
    view_.asks_for_forces = asks_for_forces(host) ? 1 : 0;
    for (int body = 0; body < host.body_count; ++body) {
      if (host.body_kind[body] == static_cast<int>(BodyKind::kinematic)) view_.squeezes = 1;
    }
    view_.drives = count_drives(host);
    view_.joints = host.joint_count;
    view_.couplings = host.coupling_count;
    view_.block_height = host.contact_rows > low_block || host.joint_count > 0 ? high_block : low_block;
    view_.chunks = std::clamp(host.body_count / 16, 1, 1024);
    view_.groups = std::min(view_.chunks, 32);
    int most = 1;
    for (int body = 0; body < host.body_count; ++body) {
      most = std::max(most, host.body_first_part[body + 1] - host.body_first_part[body]);
    }
    view_.widest = most * most;
    SceneView measure{};
    arena_bytes_ = bind_scene(measure, host_, Capacity{0, 0, 0}, nullptr);
  }

  // The most scenes that a batch can have: as many as the keys of the broad phase, and int indices, can number.
  int most_scenes() const {
    const double keys = 9e18 / (1.0 * view_.bodies * view_.bodies * view_.widest);
    const double most = std::min(keys, 1e9 / (64.0 * (view_.bodies + view_.parts)));
    return static_cast<int>(std::max(1.0, std::min(most, 1e6)));
  }

  // Begins a batch. parameters: (scenes, parameter_count), on the host.
  void begin(const double* parameters, int scenes) {
    view_.scenes = scenes;
    const auto count = static_cast<std::size_t>(scenes);
    const std::size_t stride = static_cast<std::size_t>(host_.parameter_count);
    double* const values = parameters_.capacity(static_cast<int>(count * stride));
    device_.write(values, parameters, count * stride);
    unsigned char* const arena =
        reinterpret_cast<unsigned char*>(arenas_.capacity(static_cast<int>(count * arena_bytes_ / sizeof(Chunk) + 1)));
    views_.assign(count, SceneView{});
    for (std::size_t i = 0; i < count; ++i) {
      bind_scene(views_[i], host_, Capacity{0, 0, 0}, arena + i * arena_bytes_);
      views_[i].model = view_.model;
      views_[i].parameters = values + i * stride;
    }
    view_.scene = scene_.capacity(scenes);
    device_.write(view_.scene, views_.data(), count);
    const int bodies = scenes * view_.bodies;
    view_.course = course_.capacity(scenes);
    view_.partial = partial_.capacity(scenes * view_.chunks);
    view_.group = group_.capacity(scenes * view_.groups);
    view_.total = total_.capacity(scenes);
    view_.result = result_.capacity(scenes);
    view_.sweep_key = sweep_key_.capacity(scenes * view_.parts);
    view_.sweep_part = sweep_part_.capacity(scenes * view_.parts);
    view_.swept = swept_.capacity(scenes * view_.parts);
    view_.sweep_first = sweep_first_.capacity(scenes * view_.parts + 1);
    view_.pair_count = pair_count_.capacity(scenes + 1);
    view_.pair_first = pair_first_.capacity(scenes + 1);
    view_.part_first_pair = part_first_pair_.capacity(scenes * view_.parts + 1);
    view_.block_first = block_first_.capacity(scenes + 1);
    view_.body_rows = body_rows_.capacity(bodies);
    view_.step = step_.capacity(bodies);
    view_.step_island = step_island_.capacity(bodies);
    view_.step_before = step_before_.capacity(bodies);
    view_.step_first = step_first_.capacity(bodies + 2);
    view_.step_body = step_body_.capacity(bodies);
    view_.step_piece_first = step_piece_first_.capacity(bodies + 1);
    view_.body_partial = body_partial_.capacity(bodies);
    view_.live = live_.capacity(bodies);
    view_.claim_key = claim_key_.capacity(bodies);
    view_.claim_body = claim_body_.capacity(bodies);
    view_.link_first = link_first_.capacity(bodies + scenes * (view_.joints + view_.couplings) + 1);
    view_.link_of = link_of_.capacity(bodies + 1);
    view_.owned_first = owned_first_.capacity(bodies + 1);
    view_.owned_joint_first = owned_joint_first_.capacity(bodies + 1);
    view_.owned_joint = owned_joint_.capacity(scenes * view_.joints);
    view_.kept_first = buffers_.kept_first[buffers_.kept_turn].capacity(scenes + 1);
    view_.kept = buffers_.kept[buffers_.kept_turn].capacity(0);
    view_.step_pieces = 0;
    buffers_.pair_total = buffers_.block_total = buffers_.kept_total = 0;
    buffers_.islands_known = false;
    view_.island = island_[0].capacity(bodies);
    view_.island_next = island_[1].capacity(bodies);
    view_.island_first = island_first_.capacity(bodies + 1);
    view_.piece_first = piece_first_.capacity(bodies + 1);
    view_.island_course = island_course_.capacity(bodies);
    view_.response.first = response_first_.capacity(bodies + 2);
    view_.free = free_.capacity(dof * bodies);
    view_.v = v_.capacity(dof * bodies);
    if (view_.squeezes != 0) view_.pull = pull_.capacity(dof * bodies);
    view_.pairs = buffers_.pairs[buffers_.turn].capacity(0);
    begin_scenes(device_, view_, joint_owner_.capacity(scenes * view_.joints));
  }

  // Makes one round with all scenes that have not done `step_limit` steps; only a batch of one scene may be stopped so
  // and go on later. Returns false when there was nothing left to do.
  bool round(int step_limit = std::numeric_limits<int>::max()) {
    view_.step_limit = step_limit;
    return next_round(device_, view_, buffers_);
  }

  // The outcomes (scenes) and final poses (scenes, bodies, pose_size) of scenes that are over, to the host.
  void results(SceneOutcome* outcomes, double* final_poses) {
    device_.read(outcomes, view_.result, views_.size());
    const int count = view_.bodies * view_.scenes;
    double* const poses = poses_.capacity(pose_size * count);
    const BatchView b = view_;
    device_.for_each(
        count, [=] PEGRASP_HD(int i) { write_frame_pose(b.scene[i / b.bodies], i % b.bodies, poses + pose_size * i); });
    device_.read(final_poses, poses, static_cast<std::size_t>(pose_size) * static_cast<std::size_t>(count));
  }

  // The view of a scene, and of the batch, with pointers on the device.
  const SceneView& scene(int index) const { return view_.scene[index]; }
  const BatchView& view() const { return view_; }

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };

  Device& device_;
  ModelView host_;
  BatchView view_{};
  BatchBuffers<Device> buffers_;
  std::size_t arena_bytes_ = 0;
  std::vector<SceneView> views_;
  Buffer<double> parameters_, poses_;
  Buffer<Chunk> arenas_;
  Buffer<SceneView> scene_;
  Buffer<Course> course_;
  Buffer<Partial> partial_, group_, total_;
  Buffer<SceneOutcome> result_;
  Buffer<std::uint64_t> sweep_key_;
  Buffer<int> sweep_part_, swept_, sweep_first_, pair_count_, pair_first_, block_first_, body_rows_, response_first_;
  Buffer<int> part_first_pair_;
  Buffer<StepIsland> step_;
  Buffer<int> step_island_, step_before_, step_first_, step_body_, step_piece_first_, live_, claim_body_, link_first_;
  Buffer<int> link_of_, owned_first_, owned_joint_first_, owned_joint_, joint_owner_;
  Buffer<Partial> body_partial_;
  Buffer<std::uint64_t> claim_key_;
  Buffer<int> island_[2], island_first_, piece_first_;
  Buffer<IslandCourse> island_course_;
  Buffer<Real> free_, v_, pull_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
