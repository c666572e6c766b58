// SPDX-License-Identifier: Apache-2.0
// All of the host interface of pegrasp.
#pragma once

#include "pegrasp/error.hpp"
#include "pegrasp/geometry.hpp"
#include "pegrasp/map.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/options.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/polyhedron.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/reference_engine.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/scene.hpp"
#include "pegrasp/scene_batch.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/shapes.hpp"
#include "pegrasp/simulation.hpp"
#include "pegrasp/solid_part.hpp"
#include "pegrasp/step_report.hpp"
#include "pegrasp/version.hpp"
