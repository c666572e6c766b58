// SPDX-License-Identifier: Apache-2.0
// Plans as text, CSV and JSON.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>

#include "pegrasp/version.hpp"
#include "src/decide/numbers.hpp"
#include "src/plan/search.hpp"

namespace pegrasp::plan {
namespace {

using decide::shortest_text;
using decide::text_of;
using Json = nlohmann::ordered_json;

constexpr double degrees = 180.0 / std::numbers::pi;

std::string share_text(const PlanRecord& plan) {
  return std::to_string(plan.successes) + " of " + std::to_string(plan.trials) + " succeed, P(success) in [" +
         text_of("%.4f", plan.interval.low) + ", " + text_of("%.4f", plan.interval.high) + "] at 95 %" +
         (plan.unresolved > 0 ? ", " + std::to_string(plan.unresolved) + " unresolved" : "");
}

std::size_t count_of(const PlanResult& result, Stage stage) {
  return static_cast<std::size_t>(std::count_if(result.plans.begin(), result.plans.end(),
                                                [stage](const PlanRecord& p) { return p.stage >= stage; }));
}

Json share_json(const PlanRecord& plan) {
  return {{"trials", plan.trials},
          {"successes", plan.successes},
          {"unresolved", plan.unresolved},
          {"success_interval", {plan.interval.low, plan.interval.high}},
          {"miss", plan.miss}};
}

Json points_of(const std::vector<Vec2>& points) {
  Json out = Json::array();
  for (const Vec2& p : points) out.push_back({1e3 * p.x, 1e3 * p.y});
  return out;
}

Json pose_of(const Pose& q) { return {1e3 * q.x, 1e3 * q.y, degrees * q.theta}; }

}  // namespace

std::string plan_text(const PlanResult& result) {
  const std::size_t refined = count_of(result, Stage::refined);
  const std::size_t best = result.ranking.front();
  std::string out = "plans       " + std::to_string(result.plans.size() - refined) + " drawn of up to " +
                    std::to_string(result.task.pushes.size()) + " pushes, " +
                    std::to_string(count_of(result, Stage::tried) - refined) + " tried with all samples, " +
                    std::to_string(refined) + " refined\n";
  out += "best        plan " + std::to_string(best) + ", " + std::to_string(result.pushes.size()) + " pushes in " +
         text_of("%.1f", result.motion.back().time) + " s: " + share_text(result.plans[best]) + "\n";
  if (result.fresh.trials > 0) out += "fresh       " + share_text(result.fresh) + "\n";
  if (result.resumed > 0) out += "resumed     " + std::to_string(result.resumed) + " rows of an earlier run\n";
  return out + "backend     " + result.device + "\n";
}

std::string plan_json(const PlanResult& result, const std::string& file, const std::string& title) {
  const PlanTask& task = result.task;
  const std::size_t best = result.ranking.front();
  const PlanRecord& plan = result.plans[best];
  Json pushes = Json::array();
  for (std::size_t k = 0; k < result.pushes.size(); ++k) {
    const Push& push = result.pushes[k];
    const double* const numbers = &plan.numbers[push_size * k];
    pushes.push_back({{"place", numbers[0]},
                      {"angle_deg", degrees * numbers[1]},
                      {"length_mm", 1e3 * numbers[2]},
                      {"touch_mm", {1e3 * push.touch.x, 1e3 * push.touch.y}},
                      {"direction", {push.direction.x, push.direction.y}},
                      {"body", pose_of(push.body)}});
  }
  Json motion = Json::array();
  for (const Keyframe& key : result.motion) motion.push_back({key.time, 1e3 * key.pose.x, 1e3 * key.pose.y});
  const std::size_t refined = count_of(result, Stage::refined);
  Json out = {{"kind", "plan"},
              {"title", title},
              {"file", file},
              {"version", version::number},
              {"git", version::git},
              {"drawn", result.plans.size() - refined},
              {"tried", count_of(result, Stage::tried) - refined},
              {"refined", refined},
              {"best", best},
              {"duration_s", result.motion.back().time},
              {"samples", share_json(plan)},
              {"fresh", share_json(result.fresh)},
              {"pushes", pushes},
              {"picture",
               {{"body_mm", points_of(task.outline)},
                {"pusher_mm", 1e3 * task.pusher_radius},
                {"start", pose_of(task.start)},
                {"end", pose_of(result.end)},
                {"goal", pose_of(task.goal)},
                {"allowed", pose_of({task.allowed[0], task.allowed[1], task.allowed[2]})},
                {"way", motion}}},
              {"backend", result.device}};
  return out.dump(2) + "\n";
}

std::string plans_csv(const PlanResult& result) {
  std::string out = "plan,stage,from";
  for (std::size_t k = 0; k < result.task.pushes.size(); ++k) {
    const std::string n = std::to_string(k + 1);
    out += ",place_" + n + ",angle_" + n + "_deg,length_" + n + "_mm";
  }
  out += ",nominal_miss,miss,trials,successes,unresolved,ci_low,ci_high,rank\n";
  std::vector<std::size_t> rank(result.plans.size(), 0);
  for (std::size_t r = 0; r < result.ranking.size(); ++r) rank[result.ranking[r]] = r + 1;
  for (std::size_t i = 0; i < result.plans.size(); ++i) {
    const PlanRecord& plan = result.plans[i];
    out += std::to_string(i) + "," + stage_names[static_cast<int>(plan.stage)] + "," +
           (plan.from >= 0 ? std::to_string(plan.from) : "");
    for (std::size_t k = 0; k < push_size * result.task.pushes.size(); ++k) {
      const double factor = k % push_size == 0 ? 1.0 : k % push_size == 1 ? degrees : 1e3;
      out += "," + (k < plan.numbers.size() ? shortest_text(factor * plan.numbers[k]) : "");
    }
    out += "," + shortest_text(plan.nominal);
    if (plan.trials == 0) {
      out += ",,,,,,,\n";
      continue;
    }
    out += "," + shortest_text(plan.miss) + "," + std::to_string(plan.trials) + "," + std::to_string(plan.successes) +
           "," + std::to_string(plan.unresolved) + "," + shortest_text(plan.interval.low) + "," +
           shortest_text(plan.interval.high) + "," + std::to_string(rank[i]) + "\n";
  }
  return out;
}

}  // namespace pegrasp::plan
