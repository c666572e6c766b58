// SPDX-License-Identifier: Apache-2.0
#include "src/decide/stored_map.hpp"

#include <hdf5.h>

#include <system_error>
#include <utility>

#include "pegrasp/error.hpp"
#include "src/decide/numbers.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/hdf5_trial.hpp"
#include "src/text/printable.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp::decide {
namespace {

// An HDF5 handle that is closed at the end of its scope; below 0 where the file does not have the object.
class Open {
 public:
  Open(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Open() {
    if (id_ >= 0) close_(id_);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

hid_t opened(const std::filesystem::path& path) {
  try {
    expect_file(path);  // libhdf5 would wait for a pipe
  } catch (const ReadError& error) {
    throw InputError(path.string() + ": " + error.what());
  }
  return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
}

hid_t memory_type(const std::vector<std::int32_t>&) { return H5T_NATIVE_INT32; }
hid_t memory_type(const std::vector<double>&) { return H5T_NATIVE_DOUBLE; }

// The datasets and attributes of one file.
class MapFile {
 public:
  explicit MapFile(std::filesystem::path path) : path_(std::move(path)), file_(opened(path_), H5Fclose) {
    if (!file_) damaged("is no HDF5 file");
  }

  [[noreturn]] void damaged(const std::string& how) const {
    throw InputError(path_.string() + ": " + how + "; it is damaged, or no result of pegrasp map: simulate it again");
  }
  bool has(const std::string& name) const { return H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) > 0; }

  // All numbers of a dataset, which must be so many.
  template <class T>
  void read(const std::string& name, std::size_t count, std::vector<T>& out) const {
    const Open set(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set) damaged("has no " + name);
    if (numbers_in(set) != count) damaged(name + " does not have " + std::to_string(count) + " numbers");
    const Open type(H5Dget_type(set.id()), H5Tclose);
    if (!is_usual_number(type.id())) damaged(name + " does not hold numbers as machines have them");
    out.resize(count);
    if (count > 0 && H5Dread(set.id(), memory_type(out), H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0)
      damaged(name + " cannot be read");
  }
  std::size_t count(const std::string& name) const {
    const Open set(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set) damaged("has no " + name);
    return numbers_in(set);
  }
  bool has_attribute(const std::string& object, const std::string& name) const {
    return H5Aexists_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
  }
  std::string text(const std::string& object, const std::string& name) const {
    const Open attribute(H5Aopen_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!attribute) damaged("has no attribute " + name);
    const std::vector<std::string> all = texts(attribute, name);
    return all.empty() ? std::string() : all.front();
  }
  std::vector<std::string> texts(const std::string& object, const std::string& name) const {
    const Open attribute(H5Aopen_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!attribute) damaged("has no attribute " + name);
    return texts(attribute, name);
  }
  template <class T>
  T number(const std::string& name, hid_t type) const {
    const Open attribute(H5Aopen(file_.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
    T value{};
    const Open stored(attribute ? H5Aget_type(attribute.id()) : -1, H5Tclose);
    if (!stored || !is_usual_number(stored.id()) || H5Aread(attribute.id(), type, &value) < 0)
      damaged("has no attribute " + name);
    return value;
  }
  std::vector<std::string> names_in(const std::string& group) const {
    std::vector<std::string> names;
    const Open folder(H5Gopen2(file_.id(), group.c_str(), H5P_DEFAULT), H5Gclose);
    if (!folder) damaged("has no " + group);
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
      static_cast<std::vector<std::string>*>(to)->emplace_back(name);
      return 0;
    };
    H5Literate(folder.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    return names;
  }

 private:
  static std::size_t numbers_in(const Open& set) {
    const Open space(H5Dget_space(set.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  std::vector<std::string> texts(const Open& attribute, const std::string& name) const {
    const Open type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    if (H5Tis_variable_str(type.id()) <= 0) damaged("attribute " + name + " is no text");
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    std::vector<char*> raw(count < 0 ? 0 : static_cast<std::size_t>(count), nullptr);
    if (raw.empty() || H5Aread(attribute.id(), type.id(), raw.data()) < 0)
      damaged("attribute " + name + " cannot be read");
    std::vector<std::string> out;
    for (const char* one : raw) out.emplace_back(one == nullptr ? "" : one);
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, raw.data());
    return out;
  }

  std::filesystem::path path_;
  Open file_;
};

std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder, ignored)) {
    throw InputError(folder.string() + ": there is no such folder; give the output folder of a finished pegrasp map");
  }
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw InputError(folder.string() + ": is no folder; give the output folder of a finished pegrasp map");
  }
  const std::filesystem::path file = folder / name;
  if (std::filesystem::exists(folder / "samples.journal", ignored)) {
    throw InputError(folder.string() + ": holds an interrupted run; finish it: repeat its command with --resume");
  }
  if (!std::filesystem::exists(file, ignored)) {
    throw InputError(folder.string() + ": has no " + name +
                     "; give the folder of a finished pegrasp map, or join its parts with pegrasp merge");
  }
  return file;
}

constexpr std::size_t most_cells = 100'000'000;

Axis read_axis_of(const MapFile& file, const std::string& name) {
  Axis axis;
  axis.name = name;
  file.read(name, file.count(name), axis.numbers);
  axis.unit = file.text(name, "unit");
  axis.categorical = file.has_attribute(name, "values");
  if (axis.categorical) {
    axis.texts = file.texts(name, "values");
    if (axis.texts.size() != axis.numbers.size()) file.damaged(name + " does not have a text for every value");
  } else {
    for (const double value : axis.numbers) axis.texts.push_back(shortest_text(value));
  }
  axis.logarithmic = file.has_attribute(name, "scale");
  if (file.has_attribute(name, "label")) axis.label = file.text(name, "label");
  return axis;
}

void read_estimates(const MapFile& file, StoredMap& map) {
  const std::size_t count = map.cells.size();
  std::vector<double> p, low, high;
  file.read("p", count, p);
  file.read("ci_low", count, low);
  file.read("ci_high", count, high);
  for (std::size_t c = 0; c < count; ++c) {
    map.cells[c].p = p[c];
    map.cells[c].ci_low = low[c];
    map.cells[c].ci_high = high[c];
  }
  map.step_check = file.has("step_check");
  if (!map.step_check) return;
  std::vector<std::int32_t> rerun, better, worse;
  file.read("step_check/trials", count, rerun);
  file.read("step_check/failed_then_succeeded", count, better);
  file.read("step_check/succeeded_then_failed", count, worse);
  for (std::size_t c = 0; c < count; ++c) {
    map.cells[c].rerun = rerun[c];
    map.cells[c].flipped = better[c] + worse[c];
  }
}

void read_cells(const MapFile& file, StoredMap& map) {
  map.title = file.text("/", "title");
  map.problem_toml = file.text("/", "problem_toml");
  map.version = file.text("/", "version");
  map.seed = file.number<std::uint64_t>("seed", H5T_NATIVE_UINT64);
  map.samples_per_cell = file.number<std::int64_t>("samples_per_cell", H5T_NATIVE_INT64);
  map.until = file.has_attribute("/", "interval");
  std::vector<std::string> names{"x_mm", "y_mm"};
  if (file.has_attribute("/", "axes")) names = file.texts("/", "axes");
  if (names.size() > 32) file.damaged("has more than 32 axes");
  std::size_t count = 1;
  for (const std::string& name : names) {
    map.axes.push_back(read_axis_of(file, name));
    const std::size_t size = map.axes.back().size();
    if (size == 0 || size > most_cells / count) file.damaged("has no cells, or more than a map may have");
    count *= size;
  }
  std::vector<std::int32_t> samples, successes, unresolved;
  file.read("samples", count, samples);
  file.read("successes", count, successes);
  file.read("unresolved", count, unresolved);
  for (std::size_t c = 0; c < count; ++c) {
    const bool possible = samples[c] >= 0 && successes[c] >= 0 && unresolved[c] >= 0 &&
                          std::int64_t{successes[c]} + unresolved[c] <= samples[c];
    if (!possible) file.damaged("cell " + std::to_string(c) + " has more outcomes than samples");
    map.cells.push_back({samples[c], successes[c], unresolved[c]});
  }
  read_estimates(file, map);
}

void read_sampled(const MapFile& file, std::size_t trials, StoredMap& map) {
  const std::string group = "samples_table/sampled/";
  for (const std::string& name : file.names_in("samples_table/sampled")) {
    StoredColumn column{name, file.text(group + name, "unit"), {}};
    file.read(group + name, trials, column.values);
    map.sampled.push_back(std::move(column));
  }
}

void read_trials(const MapFile& file, const std::filesystem::path& folder, Trials wanted, StoredMap& map) {
  if (!file.has("samples_table") || !file.has("samples_table/success")) {
    throw InputError(
        folder.string() +
        ": its map.h5 holds no trials, only counts; simulate it again with pegrasp map, without --counts-only");
  }
  const std::size_t trials = file.count("samples_table/success");
  const std::string at = "samples_table/";
  file.read(at + "success", trials, map.success);
  file.read(at + "status", trials, map.status);
  file.read(at + "cell", trials, map.cell);
  file.read(at + "sample", trials, map.sample);
  for (const std::int32_t c : map.cell)
    if (c < 0 || static_cast<std::size_t>(c) >= map.cells.size()) file.damaged("a trial lies in no cell");
  if (wanted == Trials::outcomes) return;
  file.read(at + "stopped_still", trials, map.stopped_still);
  file.read(at + "contacts_max", trials, map.contacts_max);
  if (file.has(at + "slip_margin_end")) file.read(at + "slip_margin_end", trials, map.slip_margin_end);
  const std::size_t poses = file.count(at + "final_pose");
  map.pose_numbers = trials > 0 ? poses / trials : 0;
  file.read(at + "final_pose", trials * map.pose_numbers, map.final_pose);
  read_sampled(file, trials, map);
}

}  // namespace

std::string StoredMap::heading() const { return printable_line(folder.string()) + ": " + printable_line(title); }

std::string StoredMap::replay(std::size_t cell_number, std::size_t sample_number) const {
  return "pegrasp run " + shell_word((folder / "problem.toml").string()) + " --cell " + std::to_string(cell_number) +
         " --sample " + std::to_string(sample_number);
}

double StoredMap::number_on(std::size_t axis, std::size_t cell_number) const {
  for (std::size_t k = 0; k < axis; ++k) cell_number /= axes[k].size();
  return axes[axis].numbers[cell_number % axes[axis].size()];
}

std::string StoredMap::words_of(std::size_t cell_number) const { return place_words(axes, cell_number); }

std::string StoredMap::csv_names() const {
  std::string out;
  for (const Axis& axis : axes) out += (out.empty() ? "" : ",") + axis.name;
  return out;
}

std::string StoredMap::csv_place(std::size_t cell_number) const {
  std::string out;
  const std::vector<std::size_t> place = place_on(axes, cell_number);
  for (std::size_t k = 0; k < axes.size(); ++k) out += (k > 0 ? "," : "") + axis_cell(axes[k], place[k]);
  return out;
}

namespace {

StoredMap stored_map(const std::filesystem::path& folder, Trials wanted, const std::string& name) {
  StoredMap map;
  map.folder = folder;
  const MapFile file(file_in(folder, name));
  read_cells(file, map);
  if (wanted != Trials::none) read_trials(file, folder, wanted, map);
  return map;
}

}  // namespace

StoredMap read_stored_map(const std::filesystem::path& folder, Trials wanted, const std::string& name) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported in our own words
  try_reading(file_in(folder, name), [&] { stored_map(folder, wanted, name); });
  return stored_map(folder, wanted, name);
}

bool is_result(const std::filesystem::path& place) {
  std::error_code ignored;
  return std::filesystem::is_directory(place, ignored);
}

}  // namespace pegrasp::decide
