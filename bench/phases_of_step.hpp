// SPDX-License-Identifier: Apache-2.0
// Included by phases_impl.hpp and phases_cuda_impl.hpp, within an unnamed namespace of pegrasp::bench: the phases of a
// step for a TimedTeam.
//
// step_scene() and the loop around it call their phases by their plain names on the team that they are given. For a
// TimedTeam argument-dependent lookup prefers the overloads below. Each calls the function that the bare team would
// have called, in timed<phase>(team, f). The including file defines TimedTeam, BareTeam, timed, and PEGRASP_TIMED, the
// specifiers of such functions.
#if defined(PEGRASP_SPATIAL)
PEGRASP_TIMED void begin_islands(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](BareTeam& bare) { kernels::begin_islands(bare, s, o); });
}
PEGRASP_TIMED void begin_island(TimedTeam& team, SceneView& s, int island) {
  timed<phase_islands>(team, [&](BareTeam& bare) { kernels::begin_island(bare, s, island); });
}
PEGRASP_TIMED void undo_merged(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](BareTeam& bare) { kernels::undo_merged(bare, s, o); });
}
PEGRASP_TIMED void end_island(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](BareTeam& bare) { kernels::end_island(bare, s, o); });
}
PEGRASP_TIMED void end_islands(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](BareTeam& bare) { kernels::end_islands(bare, s, o); });
}
#endif
PEGRASP_TIMED void find_pairs(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_find_pairs>(team, [&](BareTeam& bare) { kernels::find_pairs(bare, s, o); });
}
PEGRASP_TIMED void predict(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_predict>(team, [&](BareTeam& bare) { kernels::predict(bare, s, o); });
}
PEGRASP_TIMED void choose_modes(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_choose_modes>(team, [&](BareTeam& bare) { kernels::choose_modes(bare, s, o); });
}
PEGRASP_TIMED void make_rows(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_make_rows>(team, [&](BareTeam& bare) { kernels::make_rows(bare, s, o); });
}
PEGRASP_TIMED void solve(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_solve>(team, [&](BareTeam& bare) { kernels::solve(bare, s, o); });
}
PEGRASP_TIMED bool accepted(TimedTeam& team, SceneView& s, const StepOptions& o) {
  return timed<phase_accepted>(team, [&](BareTeam& bare) { return kernels::accepted(bare, s, o); });
}
PEGRASP_TIMED kernels::StepResult integrate_or_reject(TimedTeam& team, SceneView& s, const StepOptions& o, bool agreed,
                                                      bool can_halve) {
  return timed<phase_integrate>(
      team, [&](BareTeam& bare) { return kernels::integrate_or_reject(bare, s, o, agreed, can_halve); });
}
