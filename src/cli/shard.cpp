// SPDX-License-Identifier: Apache-2.0
#include "src/cli/shard.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <vector>

namespace pegrasp::cli {
namespace {

constexpr const char* give_numbers = "; or give --shard I/N";

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

[[noreturn]] void refuse_auto(const std::string& why) { throw InputError("--shard auto: " + why + give_numbers); }

std::string setting(const char* name) { return std::string(name) + " = " + (is_set(name) ? std::getenv(name) : ""); }

// Of a variable that is set.
int whole_value(const char* name) {
  const std::string text = std::getenv(name);
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < 0) {
    refuse_auto(setting(name) + " is no whole number from 0 on; correct it");
  }
  return value;
}

// A place in a numbering of tasks, and the variables that it is from.
struct TaskNumber {
  Shard shard;
  std::string from;
};

// first: the number of the first task.
TaskNumber task_number(const char* index, int first, const char* count, const std::string& count_remedy) {
  if (!is_set(count)) refuse_auto(std::string(index) + " is set, but " + count + " is not; " + count_remedy);
  const TaskNumber task{{whole_value(index) - first + 1, whole_value(count)},
                        setting(index) + " and " + setting(count)};
  if (task.shard.index < 1 || task.shard.index > task.shard.count) {
    refuse_auto(task.from + " are no task of a numbering from " + std::to_string(first) + " to " +
                std::to_string(task.shard.count + first - 1) + "; correct them");
  }
  return task;
}

// The array of "sbatch --array=0-14:2", say, has its own first number and step.
TaskNumber slurm_array_task() {
  const char* const id = "SLURM_ARRAY_TASK_ID";
  const char* const count = "SLURM_ARRAY_TASK_COUNT";
  const int step = is_set("SLURM_ARRAY_TASK_STEP") ? whole_value("SLURM_ARRAY_TASK_STEP") : 1;
  const int first = is_set("SLURM_ARRAY_TASK_MIN") ? whole_value("SLURM_ARRAY_TASK_MIN") : 1;
  if (!is_set(count)) refuse_auto(std::string(id) + " is set, but " + count + " is not; set it");
  const TaskNumber task{{step > 0 ? (whole_value(id) - first) / step + 1 : 0, whole_value(count)},
                        setting(id) + " and " + setting(count)};
  const bool regular = step > 0 && whole_value(id) >= first && (whole_value(id) - first) % step == 0;
  const bool last_fits = !is_set("SLURM_ARRAY_TASK_MAX") ||
                         (whole_value("SLURM_ARRAY_TASK_MAX") - first) / (step > 0 ? step : 1) + 1 == task.shard.count;
  if (!regular || !last_fits || task.shard.index > task.shard.count) {
    refuse_auto(task.from + " are no task of a regular array (from " + std::to_string(first) + " on in steps of " +
                std::to_string(step) + "); submit one such as --array=1-8");
  }
  return task;
}

// Of batch systems.
std::vector<TaskNumber> array_tasks() {
  std::vector<TaskNumber> tasks;
  if (is_set("SLURM_ARRAY_TASK_ID")) tasks.push_back(slurm_array_task());
  if (is_set("JOB_COMPLETION_INDEX")) {
    tasks.push_back(
        task_number("JOB_COMPLETION_INDEX", 0, "PEGRASP_PARTS", "set it in the manifest to the Job's completions"));
  }
  if (is_set("AWS_BATCH_JOB_ARRAY_INDEX")) {
    tasks.push_back(task_number("AWS_BATCH_JOB_ARRAY_INDEX", 0, "AWS_BATCH_JOB_ARRAY_SIZE", "set it"));
  }
  if (is_set("PBS_ARRAY_INDEX")) {
    tasks.push_back(task_number("PBS_ARRAY_INDEX", 1, "PEGRASP_PARTS", "submit with qsub -J 1-N -v PEGRASP_PARTS=N"));
  }
  return tasks;
}

// Of what started this process among others; that which is nearest to it counts.
std::optional<TaskNumber> rank_of_many(bool in_array) {
  if (is_set("OMPI_COMM_WORLD_RANK")) {
    return task_number("OMPI_COMM_WORLD_RANK", 0, "OMPI_COMM_WORLD_SIZE", "start the ranks with mpirun");
  }
  if (is_set("PMI_RANK")) return task_number("PMI_RANK", 0, "PMI_SIZE", "start the ranks with mpirun");
  if (!is_set("SLURM_PROCID")) return std::nullopt;
  // A batch script has the number of its first task, too, which srun has yet to start.
  const bool of_script = is_set("SLURM_JOB_ID") && !is_set("SLURM_STEP_ID");
  if (of_script && in_array) return std::nullopt;
  const char* const count = is_set("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  if (of_script && !is_set(count)) return TaskNumber{{1, 1}, setting("SLURM_PROCID") + " of a job of one task"};
  const TaskNumber task = task_number("SLURM_PROCID", 0, count, "start the tasks with srun");
  if (of_script && task.shard.count > 1) {
    refuse_auto(setting(count) + ", but this process is the job's script; start the tasks with srun");
  }
  return task;
}

TaskNumber task_of_environment() {
  std::vector<TaskNumber> tasks = array_tasks();
  if (const std::optional<TaskNumber> rank = rank_of_many(!tasks.empty())) tasks.push_back(*rank);
  const TaskNumber* found = nullptr;
  for (const TaskNumber& task : tasks) {
    const bool alone = task.shard.count == 1;  // one task of one, such as the only rank of a task of an array
    if (found != nullptr && found->shard.count > 1 && !alone) {
      const bool same = found->shard.index == task.shard.index && found->shard.count == task.shard.count;
      if (!same) refuse_auto(found->from + " contradict " + task.from + "; unset those that do not count");
    }
    if (found == nullptr || (found->shard.count == 1 && !alone)) found = &task;
  }
  if (found != nullptr) return *found;
  refuse_auto(
      "no task number in the environment (SLURM_ARRAY_TASK_ID, SLURM_PROCID, JOB_COMPLETION_INDEX, "
      "AWS_BATCH_JOB_ARRAY_INDEX, PBS_ARRAY_INDEX, OMPI_COMM_WORLD_RANK, PMI_RANK); start it by such a system");
}

}  // namespace

Shard chosen_shard(const std::string& text, std::string* says) {
  if (text == "auto") {
    const TaskNumber task = task_of_environment();
    if (says != nullptr) {
      *says = "--shard auto: part " + std::to_string(task.shard.index) + " of " + std::to_string(task.shard.count) +
              ", by " + task.from;
    }
    return task.shard;
  }
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!slash || count.ec != std::errc() || count.ptr != end || shard.index < 1 || shard.index > shard.count) {
    throw InputError("--shard " + text +
                     ": give the number of the part and of all parts, for example --shard 1/8, or auto");
  }
  return shard;
}

}  // namespace pegrasp::cli
