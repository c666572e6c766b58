// SPDX-License-Identifier: Apache-2.0
#include "src/problem/given_rows.hpp"

#include <algorithm>

#include "src/formats/number_table.hpp"
#include "src/problem/limits.hpp"
#include "src/problem/overrides.hpp"
#include "src/text/printable.hpp"

namespace pegrasp {
namespace {

// Where the file of the rows is named: map.samples_from = "rows.csv", or { file = "rows.csv" } as it is resolved.
const Node* file_node(const Node& document) {
  const Node* const map = document.find("map");
  const Node* node = map == nullptr ? nullptr : map->find("samples_from");
  if (node != nullptr && node->type == Node::Type::table) node = node->find("file");
  const bool names = node != nullptr && node->type == Node::Type::text && !node->text.empty() &&
                     node->text.find('\0') == std::string::npos;
  return names ? node : nullptr;
}

}  // namespace

std::shared_ptr<const NumberTable> rows_of(const Node& document, const std::filesystem::path& folder) {
  const Node* const node = file_node(document);
  if (node == nullptr) return nullptr;
  std::error_code error;
  const std::filesystem::path file = std::filesystem::absolute(folder / node->text, error).lexically_normal();
  if (error) return nullptr;
  std::shared_ptr<const NumberTable> rows = read_number_table(file, "trial");
  if (rows->rows() > static_cast<std::size_t>(most_samples)) {
    throw InputError(printable(file.string()) + ": has more than " + std::to_string(most_samples) +
                     " rows; divide it into several maps");
  }
  return rows;
}

bool is_key_column(const std::string& column) {
  const std::size_t end = column.find_first_of(".[");
  return end != std::string::npos &&
         std::find(keys::root.begin(), keys::root.end(), column.substr(0, end)) != keys::root.end();
}

namespace {

void read_samples_from(Section& map, const NumberTable* rows, Problem& problem) {
  const Node* const node = map.raw("samples_from");
  Node table = *node;
  if (node->type == Node::Type::text) {
    table = Node{};
    table.line = node->line;
    table.set_as = node->set_as;
    table.set("file", *node);
  }
  Section section(map.context(), &table, map.at("samples_from"), keys::samples_from);
  section.file("file");
  if (rows == nullptr) section.fail("file", "cannot be read; give the path of a file with a row for each trial");
  section.check_contents(rows->fingerprint);
  map.put("samples_from", section.finish(false));
  problem.samples = static_cast<int>(rows->rows());
  map.put("samples", Node::of(problem.samples));
}

}  // namespace

void read_sampling(Section& map, const std::shared_ptr<const NumberTable>& rows, Problem& problem) {
  static const std::vector<std::string> names{"random", "sobol"};
  // Both are written only where they are asked for, so that results of other problems keep their bytes.
  if (map.has("sampling")) problem.sampling = static_cast<Sampling>(map.choice("sampling", names, {}));
  const bool sobol = problem.sampling == Sampling::sobol;
  const bool given = map.has("samples_from");
  if (given && sobol) map.fail("sampling", "is for samples that are drawn; leave it out, or leave out samples_from");
  if (given && problem.until.any()) {
    map.fail("until", "is for samples that are drawn independently; leave it out, or leave out samples_from");
  }
  if (sobol && problem.until.any()) {
    map.fail("until", "is for samples that are drawn independently; leave it out, or leave out sampling");
  }
  if (given) {
    read_samples_from(map, rows.get(), problem);
    problem.rows = rows;
  }
  if (!sobol) return;
  if (!map.has("samples")) {
    problem.samples = 2 * sobol_replicates;
    map.put("samples", Node::of(problem.samples));
  }
  if (problem.samples % sobol_replicates == 0 && problem.samples > sobol_replicates) return;
  map.fail("samples", "is " + std::to_string(problem.samples) + "; with sampling = \"sobol\" give a multiple of " +
                          std::to_string(sobol_replicates) + ", at least " + std::to_string(2 * sobol_replicates) +
                          ": best " + std::to_string(sobol_replicates) + " times a power of 2");
}

}  // namespace pegrasp
