// SPDX-License-Identifier: Apache-2.0
// The compiled form of bodies in 3D: polyhedra as flat arrays (kernels/model/model.hpp).
#pragma once

#include "src/model/model.hpp"

namespace pegrasp {

// std::invalid_argument, one line, for what scenes in 3D do not have yet, and for bodies that cannot be simulated.
void check_solid_body(const BodySpec& body);

// Appends the scene's pulls, and which bodies hold the part that is watched. Throw where they make no sense.
void add_pulls(const SceneSpec& scene, ModelArrays& out);
void add_watch(const SceneSpec& scene, ModelArrays& out);
// Appends the body's prescribed motion.
void add_solid_motion(const BodySpec& body, ModelArrays& out);
// Appends the body's parts; end_solids() closes the lists after the last body.
void add_solids(const BodySpec& body, int index, ModelArrays& out);
void end_solids(ModelArrays& out);

// No step has more contacts.
int most_solid_contacts(const ModelView& model);

}  // namespace pegrasp
