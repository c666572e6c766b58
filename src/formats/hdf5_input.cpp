// SPDX-License-Identifier: Apache-2.0
#include "src/formats/hdf5_input.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "pegrasp/problem.hpp"
#include "src/formats/hdf5_trial.hpp"
#include "src/text/document.hpp"

namespace pegrasp {
namespace {

// Deflate, HDF5's usual compression, packs at most 1032 bytes into one: a compressed dataset that claims more is
// damaged.
constexpr hsize_t most_compression = 1100;
// The longest text [bytes]. Names and remarks are short; longer text is damage.
constexpr std::size_t longest_text = std::size_t{1} << 20;
constexpr char unusual[] = "has numbers of an unusual layout: store integers or reals of 8 to 64 bits";

class ReadHandle {
 public:
  ReadHandle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~ReadHandle() {
    if (id_ >= 0) close_(id_);
  }
  ReadHandle(const ReadHandle&) = delete;
  ReadHandle& operator=(const ReadHandle&) = delete;
  hid_t id() const { return id_; }
  bool good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::string until_zero(std::string text) {
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

}  // namespace

Hdf5Input::Hdf5Input(std::filesystem::path file, Advice advice) : path_(std::move(file)), advice_(std::move(advice)) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported in our own words
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) throw InputError(path_.string() + ": no such file: check the path");
  if (!std::filesystem::is_regular_file(path_, error)) {
    throw InputError(path_.string() + ": is no file: name an HDF5 file");
  }
  if (!std::ifstream(path_, std::ios::binary)) {
    throw InputError(path_.string() + ": cannot be opened: check its permissions");
  }
  if (H5Fis_hdf5(path_.c_str()) <= 0) {
    throw InputError(path_.string() + ": is no HDF5 file: " + advice_.file);
  }
  file_ = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) {
    throw InputError(path_.string() +
                     ": cannot be opened by the HDF5 library: it is cut off, damaged or being written");
  }
}

Hdf5Input::~Hdf5Input() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Input::fail(const std::string& name, const std::string& what) const {
  throw InputError(path_.string() + ": " + printable(name) + ": " + what);
}

bool Hdf5Input::has(const std::string& name) const {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    H5L_info_t info{};
    if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) return false;
    // Links into other files are not followed: a problem file is complete in itself.
    if (H5Lget_info(file_, part.c_str(), &info, H5P_DEFAULT) < 0 || info.type == H5L_TYPE_EXTERNAL) return false;
    if (end == std::string::npos) return H5Oexists_by_name(file_, name.c_str(), H5P_DEFAULT) > 0;
  }
}

std::vector<std::string> Hdf5Input::names_in_root() const {
  std::vector<std::string> names;
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (H5Literate(file_, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, keep, &names) < 0) {
    fail("/", "its list of groups cannot be read: the file is damaged");
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool Hdf5Input::is_group(const std::string& name) const {
  if (!has(name)) return false;
  const ReadHandle object(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose);
  return object.good() && H5Iget_type(object.id()) == H5I_GROUP;
}

// An open dataset whose elements are known to be in the file.
class Hdf5Input::Dataset {
 public:
  Dataset(const Hdf5Input& input, const std::string& name)
      : input_(input), name_(name), set_(open(input, name), H5Dclose), type_(H5Dget_type(set_.id()), H5Tclose) {
    const ReadHandle space(H5Dget_space(set_.id()), H5Sclose);
    const ReadHandle layout(H5Dget_create_plist(set_.id()), H5Pclose);
    if (!space.good() || !type_.good() || !layout.good()) input.fail(name, "cannot be read: the file is damaged");
    if (H5Pget_layout(layout.id()) == H5D_VIRTUAL || H5Pget_external_count(layout.id()) > 0) {
      input.fail(name, "its numbers lie in other files: copy them into this one (h5repack)");
    }
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    const std::size_t width = H5Tget_size(type_.id());
    if (count < 0 || width == 0) input.fail(name, "cannot be read: the file is damaged");
    const bool compressed = H5Pget_layout(layout.id()) == H5D_CHUNKED;
    const hsize_t capacity = H5Dget_storage_size(set_.id()) * (compressed ? most_compression : 1);
    count_ = static_cast<std::size_t>(count);
    std::vector<hsize_t> sides(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
    if (!sides.empty()) H5Sget_simple_extent_dims(space.id(), sides.data(), nullptr);
    shape_.assign(sides.begin(), sides.end());
    if (count_ > capacity / width) {
      input.fail(name, "should hold " + std::to_string(count_) +
                           " elements, which the file has no capacity for: it is cut off or damaged");
    }
  }

  std::size_t count() const { return count_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  hid_t type() const { return type_.id(); }
  H5T_class_t kind() const { return H5Tget_class(type_.id()); }
  void read(hid_t type, void* data) const {
    if (count_ > 0 && H5Dread(set_.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
      input_.fail(name_, "cannot be read: the file is cut off or damaged");
    }
  }

 private:
  static hid_t open(const Hdf5Input& input, const std::string& name) {
    if (!input.has(name)) input.fail(name, "is missing: the file is incomplete or of another layout");
    const hid_t set = H5Dopen2(input.file_, name.c_str(), H5P_DEFAULT);
    if (set < 0) input.fail(name, "is no dataset, or damaged: " + input.advice_.layout);
    return set;
  }

  const Hdf5Input& input_;
  std::string name_;
  ReadHandle set_, type_;
  std::size_t count_ = 0;
  std::vector<std::size_t> shape_;
};

std::vector<std::size_t> Hdf5Input::shape(const std::string& name) const {
  const Dataset set(*this, name);
  return set.shape();
}

std::vector<std::int32_t> Hdf5Input::integers(const std::string& name) const {
  const Dataset set(*this, name);
  if (set.kind() != H5T_INTEGER) fail(name, "must hold integers");
  if (!is_usual_number(set.type())) fail(name, unusual);
  std::vector<std::int64_t> wide(set.count());
  set.read(H5T_NATIVE_INT64, wide.data());
  std::vector<std::int32_t> all;
  all.reserve(wide.size());
  for (const std::int64_t value : wide) {
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
      fail(name, "has an integer that 32 bits cannot hold: " + std::to_string(value));
    }
    all.push_back(static_cast<std::int32_t>(value));
  }
  return all;
}

std::int32_t Hdf5Input::integer(const std::string& name) const {
  const std::vector<std::int32_t> all = integers(name);
  if (all.size() != 1) fail(name, "must hold one integer, not " + std::to_string(all.size()));
  return all.front();
}

std::vector<double> Hdf5Input::numbers(const std::string& name) const {
  const Dataset set(*this, name);
  if (set.kind() != H5T_FLOAT && set.kind() != H5T_INTEGER) fail(name, "must hold numbers");
  if (!is_usual_number(set.type())) fail(name, unusual);
  std::vector<double> all(set.count());
  set.read(H5T_NATIVE_DOUBLE, all.data());
  return all;
}

std::vector<double> Hdf5Input::reals(const std::string& name) const {
  std::vector<double> all = numbers(name);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!std::isfinite(all[i])) fail(name, "element " + std::to_string(i) + " is not finite");
  }
  return all;
}

double Hdf5Input::real(const std::string& name) const {
  const std::vector<double> all = reals(name);
  if (all.size() != 1) fail(name, "must hold one number, not " + std::to_string(all.size()));
  return all[0];
}

std::vector<double> Hdf5Input::reals_or_infinite(const std::string& name) const {
  std::vector<double> all = numbers(name);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::isnan(all[i])) fail(name, "element " + std::to_string(i) + " is not a number");
  }
  return all;
}

std::optional<std::string> Hdf5Input::text(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  const Dataset set(*this, name);
  if (set.kind() != H5T_STRING || H5Tis_variable_str(set.type()) != 0 || set.count() != 1) {
    fail(name, "must be one text of fixed length");
  }
  const std::size_t size = H5Tget_size(set.type());
  if (size > longest_text) fail(name, "is a text of more than a million characters: shorten it");
  std::string text(size, '\0');
  set.read(set.type(), text.data());
  return until_zero(std::move(text));
}

}  // namespace pegrasp
