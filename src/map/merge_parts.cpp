// SPDX-License-Identifier: Apache-2.0
// Parts of a map -> the map.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "pegrasp/map.hpp"
#include "src/map/cells.hpp"
#include "src/map/journal.hpp"
#include "src/map/map_options.hpp"
#include "src/map/reruns.hpp"
#include "src/map/step_check.hpp"
#include "src/map/until.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t most_reported = 6;  // of what is wrong: one line stays readable

// Not kept open: there may be more parts than a process may have files.
struct Part {
  std::filesystem::path path;
  JournalOrigin origin;     // without the problem, which may be long
  std::size_t problem = 0;  // its hash
  std::size_t count = 0;    // samples that were read
  std::size_t reruns = 0;   // and of the step check
  const SampleRange& range() const { return origin.range; }
};

Part part_at(const std::filesystem::path& path, JournalOrigin origin) {
  const std::size_t problem = std::hash<std::string>()(origin.problem);
  origin.problem.clear();
  return {path, std::move(origin), problem, 0, 0};
}

// Again: it must be what it was.
std::unique_ptr<JournalReader> opened(const Part& part) {
  auto reader = std::make_unique<JournalReader>(part.path);
  const Part now = part_at(part.path, reader->origin());
  if (!(now.origin == part.origin) || now.problem != part.problem) {
    throw InputError(part.path.string() + ": changed while it was read; wait for the run that is writing it");
  }
  return reader;
}

void stop_if_asked(const std::atomic<bool>* stop) {
  if (stop != nullptr && stop->load()) throw Interrupted("merge was stopped; nothing written");
}

// All samples once more, in order, from parts that were found whole.
void read_again(const std::vector<Part>& parts, const VisitBlock& visit, const std::atomic<bool>* stop) {
  for (const Part& part : parts) {
    const auto next = [&](const SampleBlock& block) {
      stop_if_asked(stop);
      visit(block);
    };
    if (opened(part)->read(next) != part.count) {
      throw InputError(part.path.string() +
                       ": changed while the parts were joined; do not touch the parts until merge has ended");
    }
  }
}

bool is_part(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.rfind("part-", 0) == 0 && file.extension() == ".samples";
}

std::vector<std::filesystem::path> files_of(const std::vector<std::filesystem::path>& places) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& place : places) {
    std::error_code error;
    if (!std::filesystem::is_directory(place, error)) {
      files.push_back(place);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(place, error))
      if (is_part(entry.path())) files.push_back(entry.path());
    if (error) throw InputError(place.string() + ": cannot be read: " + error.message() + "; name another folder");
    if (files.size() == before) {
      throw InputError(place.string() + ": has no parts; pegrasp map PROBLEM --shard 1/2 --out " + place.string() +
                       " makes the first of two");
    }
  }
  return files;
}

// What is wrong, with its remedy, reported in one line.
class Complaints {
 public:
  void add(const std::string& text) {
    if (++count_ <= most_reported) said_ += (said_.empty() ? "" : "; ") + text;
  }
  void raise() const {
    if (count_ == 0) return;
    const std::string more = count_ > most_reported ? "; and " + std::to_string(count_ - most_reported) + " more" : "";
    throw InputError("the parts do not make a map: " + said_ + more);
  }

 private:
  std::size_t count_ = 0;
  std::string said_;
};

std::string samples_text(std::size_t first, std::size_t end) {
  return "samples " + std::to_string(first) + " to " + std::to_string(end - 1);
}

// How a gap is named: by the shards that fill it, where the other parts say into how many the map was cut.
std::string gap_text(std::size_t first, std::size_t end, const Problem& problem, int shards) {
  const std::string samples = samples_text(first, end);
  if (shards == 0) return samples + " are in no part";
  const auto holding = [&](std::size_t sample) {  // the shard that has it
    int low = 1, high = shards;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (shard_range({middle, shards}, problem).end() > sample)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  const auto name = [&](int i) { return std::to_string(i) + "/" + std::to_string(shards); };
  const int from = holding(first), to = holding(end - 1);
  return samples + " are in no part: simulate them with --shard " + name(from) +
         (to > from ? (to > from + 1 ? " to " : " and ") + name(to) : "");
}

// Into how many shards the map was cut, by the parts' names; 0 where they do not agree with what is in them.
int count_of_shards(const std::vector<Part>& parts, const Problem& problem) {
  int shards = 0;
  for (const Part& part : parts) {
    const std::string name = part.path.filename().string();
    int index = 0, count = 0;
    if (std::sscanf(name.c_str(), "part-%d-of-%d.samples", &index, &count) != 2 || index < 1 || index > count) return 0;
    const SampleRange range = shard_range({index, count}, problem);
    if (range.first != part.range().first || range.count != part.range().count) return 0;
    if (shards != 0 && count != shards) return 0;
    shards = count;
  }
  return shards;
}

void must_be_of_one_map(const std::vector<Part>& parts) {
  const JournalOrigin& first = parts.front().origin;
  for (const Part& part : parts) {
    const JournalOrigin& other = part.origin;
    const bool same_map = other.hash == first.hash && other.shape == first.shape;  // paths of files may differ
    if (same_map && other.reruns.in_all == first.reruns.in_all) continue;
    throw InputError(
        part.path.string() + " and " + parts.front().path.string() +
        (same_map ? ": were simulated with different --step-check; simulate one of them again with that of the other"
                  : ": parts of different maps (problem, seed, version, --fallback or, with --fast, backend); give the "
                    "parts of one"));
  }
}

// Sorted by their first samples.
void must_be_whole(const std::vector<Part>& parts, const Problem& problem) {
  Complaints complaints;
  const std::size_t total = samples_of(problem);
  const int shards = count_of_shards(parts, problem);
  std::size_t next = 0;
  const Part* last = nullptr;
  for (const Part& part : parts) {
    const SampleRange& range = part.range();
    if (range.count == 0) continue;
    if (range.first > next) complaints.add(gap_text(next, range.first, problem, shards));
    if (range.first < next) {
      complaints.add(last->path.string() + " and " + part.path.string() + " both hold " +
                     samples_text(range.first, std::min(next, range.end())) + ": leave one out");
    }
    if (part.count < range.count) {
      complaints.add(part.path.string() + " holds " + std::to_string(part.count) + " of " +
                     std::to_string(range.count) + " samples: repeat the command that wrote it with --resume");
    } else if (part.reruns < part.origin.reruns.range.count) {
      complaints.add(part.path.string() + " holds " + std::to_string(part.reruns) + " of " +
                     std::to_string(part.origin.reruns.range.count) +
                     " samples of the step check: repeat the command that wrote it with --resume");
    }
    if (range.end() > next) {
      next = range.end();
      last = &part;
    }
  }
  if (next < total) complaints.add(gap_text(next, total, problem, shards));
  complaints.raise();
}

// Parts say what they hold; that is asked for before it is believed.
void must_fit_the_problem(const std::vector<Part>& parts, const JournalShape& shape, const Problem& problem) {
  const auto countable = [&problem](const JournalOrigin& origin, const SampleRange& range) {
    if (origin.counts == 0) return true;
    return !problem.until.any() && origin.reruns.in_all == 0 && origin.counts == counts_bytes(problem, range);
  };
  for (const Part& part : parts) {
    const SampleRange& range = part.range();
    const JournalReruns& reruns = part.origin.reruns;
    const bool inside = range.first <= shape.samples && range.count <= shape.samples - range.first;
    if (part.origin.shape == shape && inside && reruns.in_all <= shape.samples &&
        reruns.range == reruns_within(range, reruns.in_all, shape.samples, problem.seed) &&
        countable(part.origin, range))
      continue;
    throw InputError(part.path.string() +
                     ": its samples do not belong to its problem; leave it out and simulate it again");
  }
}

void join_names(std::string& all, std::set<std::string>& seen, const std::string& one) {
  if (seen.insert(one).second) all += (all.empty() ? "" : "; ") + one;
}

// Where the parts were simulated.
void join_machines(const std::vector<Part>& parts, SuccessMap& map) {
  std::set<std::string> backends, devices;
  for (const Part& part : parts) {
    join_names(map.backend, backends, part.origin.backend);
    join_names(map.device, devices, part.origin.device);
  }
}

// What is counted of the samples of a part that holds none.
void join_counts(Part& part, CellCounter& counter) {
  std::vector<unsigned char> counts;
  part.count = opened(part)->read_counts(counts);
  if (!counts.empty()) counter.add_counts(part.range(), counts);
}

// Parts of a map with as many samples in every cell: counted now, handed out from the files later.
void join_counted(std::vector<Part>& parts, MergedMap& merged, const std::atomic<bool>* stop) {
  SuccessMap& map = merged.map;
  map.resumed = samples_of(merged.problem);
  CellCounter counter(merged.problem, map);
  StepCheckCounter check(merged.problem, map.reruns);
  for (Part& part : parts) {
    stop_if_asked(stop);
    if (part.origin.counts > 0) {
      join_counts(part, counter);
      map.counts_only = true;
      continue;
    }
    const std::unique_ptr<JournalReader> reader = opened(part);
    part.count = reader->read([&](const SampleBlock& block) {
      stop_if_asked(stop);
      counter.add(block);
    });
    const std::vector<Rerun> reruns = part.count == part.range().count ? reader->read_reruns() : std::vector<Rerun>();
    check.add(part.origin.reruns.range.first, reruns);
    part.reruns = reruns.size();
  }
  must_be_whole(parts, merged.problem);
  counter.finish(map);
  check.finish(merged.problem, map);
  if (map.counts_only) return;
  map.elsewhere = [parts = std::make_shared<const std::vector<Part>>(std::move(parts)), stop](const VisitBlock& visit) {
    read_again(*parts, visit, stop);
  };
}

template <class T>
void append(std::span<const T> from, std::vector<T>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

// Parts of a map with Problem::until: each is replayed, which tells what its samples are and whether it is finished.
void join_until(std::vector<Part>& parts, MergedMap& merged, const std::atomic<bool>* stop) {
  SuccessMap& map = merged.map;
  std::vector<std::size_t> numbers;
  for (Part& part : parts) {
    UntilPlan plan(merged.problem, part.range());
    const std::unique_ptr<JournalReader> reader = opened(part);
    part.count = reader->read([&](const SampleBlock& block) {
      stop_if_asked(stop);
      for (std::size_t i = 0; i < block.outcomes.size() && !plan.done();) {
        const std::size_t round = std::min(plan.planned() - plan.counted(), block.outcomes.size() - i);
        for (std::size_t k = 0; k < round; ++k) numbers.push_back(plan.number(plan.counted() + k));
        plan.count(block.outcomes.subspan(i, round));
        i += round;
      }
      append(block.values, map.values);
      append(block.outcomes, map.outcomes);
      append(block.final_poses, map.final_poses);
      append(block.redrawn, map.redrawn);
      append(block.by_reference, map.by_reference);
    });
    if (plan.done() && plan.counted() == part.count) part.count = part.range().count;  // all that it is to hold
  }
  must_be_whole(parts, merged.problem);
  map.resumed = numbers.size();
  finish_until(merged.problem, numbers, map);
}

}  // namespace

MergedMap merge_parts(const std::vector<std::filesystem::path>& places, const std::atomic<bool>* stop) {
  std::vector<Part> parts;
  for (const std::filesystem::path& file : files_of(places))
    parts.push_back(part_at(file, JournalReader(file).origin()));
  if (parts.empty()) throw InputError("no parts: name a folder with parts of a map, or the parts themselves");
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.range().first != b.range().first ? a.range().first < b.range().first : a.path < b.path;
  });
  must_be_of_one_map(parts);
  const JournalOrigin origin = opened(parts.front())->origin();
  MergedMap merged;
  merged.problem = parse_problem(origin.problem, parts.front().path.string());
  if (problem_hash(merged.problem, origin.backend, origin.fallback) != origin.hash) {
    throw InputError(parts.front().path.string() +
                     ": was written by another version of pegrasp; join the parts with the version that wrote them");
  }
  SuccessMap& map = merged.map = empty_map(merged.problem, {0, 0});
  must_fit_the_problem(parts, origin_of(merged.problem, map).shape, merged.problem);
  const StepOptions step =
      derive_options(merged.problem.options, typical_scene(merged.problem), merged.problem.arithmetic);
  map.strategy = step.strategy;
  map.solver = step.solver;
  map.tolerance = step.tolerance;
  map.penetration_tolerance = step.penetration_tolerance;
  map.fallback = origin.fallback;
  map.reruns = origin.reruns.in_all;
  join_machines(parts, map);
  if (merged.problem.until.any()) {
    join_until(parts, merged, stop);
  } else {
    join_counted(parts, merged, stop);
  }
  return merged;
}

}  // namespace pegrasp
