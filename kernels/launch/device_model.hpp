// SPDX-License-Identifier: Apache-2.0
// A model's arrays copied to the device.
#pragma once

#include <vector>

#include "launch/device_buffer.hpp"
#include "scene/model.hpp"

namespace pegrasp {

class DeviceModel {
 public:
  explicit DeviceModel(const ModelView& host) : view_(host) {
    const int bodies = host.body_count;
    const int parts = host.part_count;
    const int corners = host.part_first_corner[parts];
    const int edges = host.part_first_edge[parts];
    const int keyframes = host.body_first_keyframe[bodies];
    copy(view_.body_kind, bodies);
    copy(view_.body_first_part, bodies + 1);
    copy(view_.body_node, bodies);
    copy(view_.body_slides, bodies);
    copy(view_.body_axis, 2 * bodies);
    copy(view_.body_radius, bodies);
    copy(view_.body_unbounded, bodies);
    copy(view_.body_first_keyframe, bodies + 1);
    copy(view_.keyframe_time, keyframes);
    copy(view_.keyframe_pose, 3 * keyframes);
    copy(view_.part_body, parts);
    copy(view_.part_first_corner, parts + 1);
    copy(view_.part_first_edge, parts + 1);
    copy(view_.part_centre, 2 * parts);
    copy(view_.part_radius, parts);
    copy(view_.part_inradius, parts);
    copy(view_.corner_x, corners);
    copy(view_.corner_y, corners);
    copy(view_.corner_r, corners);
    copy(view_.corner_name, corners);
    copy(view_.corner_cone, 4 * corners);
    copy(view_.edge_nx, edges);
    copy(view_.edge_ny, edges);
    copy(view_.edge_offset, edges);
    copy(view_.edge_use, edges);
    copy(view_.body_friction, host.lists_pairs ? 0 : bodies);
    copy(view_.named_pair_a, host.named_pair_count);
    copy(view_.named_pair_b, host.named_pair_count);
    copy(view_.named_pair_friction, host.named_pair_count);
    copy(view_.body_pair_a, host.body_pair_count);
    copy(view_.body_pair_b, host.body_pair_count);
    copy(view_.body_pair_first_part, host.body_pair_count + 1);
    copy(view_.part_pair_a, host.part_pair_count);
    copy(view_.part_pair_b, host.part_pair_count);
    copy(view_.part_pair_body_pair, host.part_pair_count);
    copy(view_.actuator_body, host.actuator_count);
    copy(view_.actuator_kind, host.actuator_count);
    copy(view_.actuator_rotary, host.actuator_count);
    copy(view_.actuator_axis, 2 * host.actuator_count);
    copy(view_.support_body, host.support_count);
    copy(view_.predicates, host.predicate_count);
    device_view_ = upload(&view_, 1);
    // Copies from pageable memory may still be under way, and streams that do not wait for them are about to read.
    cuda_check(cudaDeviceSynchronize(), "copy the model");
  }

  // The view itself, in device memory.
  const ModelView* view() const { return device_view_.as<ModelView>(); }

 private:
  template <class T>
  void copy(const T*& array, int count) {
    buffers_.push_back(upload(array, static_cast<std::size_t>(count)));
    array = buffers_.back().as<T>();
  }

  ModelView view_;
  std::vector<DeviceBuffer> buffers_;
  DeviceBuffer device_view_;
};

}  // namespace pegrasp
