// SPDX-License-Identifier: Apache-2.0
#include "src/formats/hdf5_file.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace pegrasp {
namespace {

hid_t need(hid_t handle, const std::string& what) {
  if (handle < 0) throw std::runtime_error("HDF5 cannot " + what + " in memory");
  return handle;
}

// Closes an HDF5 handle at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(need(id, what)), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t id() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace

Hdf5File::Hdf5File() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported in our own words
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "choose a driver");
  need(live_in(access.id(), image_) ? 0 : -1, "choose its memory");
  file_ = need(H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), "create a file");
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

const SparseImage& Hdf5File::finish() {
  if (file_ >= 0) need(H5Fclose(std::exchange(file_, -1)), "end the file");
  if (image_.lost()) throw std::bad_alloc();
  return image_;
}

std::string Hdf5File::bytes() {
  const SparseImage& image = finish();
  std::string all(static_cast<std::size_t>(image.size()), '\0');
  image.read(0, all.data(), all.size());
  return all;
}

void Hdf5File::group(const std::string& name) {
  const Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "make " + name);
}

namespace {

// Properties with which the same content gives the same bytes: no time stamps are stored, and datasets get their space
// in the order in which they are made, whenever their contents are written.
Handle plain_creation(const std::string& name) {
  Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe " + name);
  need(H5Pset_obj_track_times(creation.id(), false), "describe " + name);
  need(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), "describe " + name);
  need(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), "describe " + name);
  return creation;
}

Handle space_of(const std::string& name, const std::vector<hsize_t>& shape) {
  const bool scalar = shape.empty();
  return {scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
          H5Sclose, "size " + name};
}

Handle made_dataset(hid_t file, const std::string& name, const std::vector<hsize_t>& shape, hid_t type) {
  const Handle space = space_of(name, shape);
  const Handle creation = plain_creation(name);
  return {H5Dcreate2(file, name.c_str(), type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose,
          "make " + name};
}

hid_t type_of(Hdf5File::Number number) {
  switch (number) {
    case Hdf5File::Number::int32:
      return H5T_NATIVE_INT32;
    case Hdf5File::Number::int64:
      return H5T_NATIVE_INT64;
    case Hdf5File::Number::float64:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}

}  // namespace

void Hdf5File::dataset(const std::string& name, const std::vector<hsize_t>& shape, hid_t type, const void* data) {
  const Handle set = made_dataset(file_, name, shape, type);
  need(H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write " + name);
}

namespace {

std::uint64_t reserve_dataset(hid_t file, const std::string& name, const std::vector<hsize_t>& shape, hid_t type) {
  need(std::count(shape.begin(), shape.end(), hsize_t{0}) > 0 ? -1 : 0, "place nothing as " + name);
  const Handle set = made_dataset(file, name, shape, type);
  const haddr_t place = H5Dget_offset(set.id());
  need(place == HADDR_UNDEF ? -1 : 0, "place " + name);
  return place;
}

Handle text_type(const std::string& name, std::size_t longest) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type " + name);
  need(H5Tset_size(type.id(), longest + 1), "size " + name);
  return type;
}

}  // namespace

std::uint64_t Hdf5File::reserve(const std::string& name, const std::vector<hsize_t>& shape, Number number) {
  return reserve_dataset(file_, name, shape, type_of(number));
}

std::uint64_t Hdf5File::reserve_texts(const std::string& name, hsize_t count, std::size_t longest) {
  return reserve_dataset(file_, name, {count}, text_type(name, longest).id());
}

void Hdf5File::write(const std::string& name, const std::vector<hsize_t>& shape, const double* data) {
  dataset(name, shape, H5T_NATIVE_DOUBLE, data);
}
void Hdf5File::write(const std::string& name, const std::vector<hsize_t>& shape, const std::int32_t* data) {
  dataset(name, shape, H5T_NATIVE_INT32, data);
}
void Hdf5File::write(const std::string& name, const std::vector<hsize_t>& shape, const std::int64_t* data) {
  dataset(name, shape, H5T_NATIVE_INT64, data);
}

void Hdf5File::texts(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  const Handle type = text_type(name, longest);
  std::string all;
  for (const std::string& text : texts) all += text + std::string(longest + 1 - text.size(), '\0');
  dataset(name, {texts.size()}, type.id(), all.data());
}

void Hdf5File::text(const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type " + name);
  need(H5Tset_size(type.id(), text.size() + 1), "size " + name);  // ends with a zero, as H5LTmake_dataset_string has it
  dataset(name, {}, type.id(), text.c_str());
}

void Hdf5File::scalar(const std::string& object, const std::string& name, hid_t type, const void* data) {
  const Handle owner(H5Oopen(file_, object.c_str(), H5P_DEFAULT), H5Oclose, "open " + object);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "size " + name);
  const Handle attribute(H5Acreate2(owner.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "make " + name);
  need(H5Awrite(attribute.id(), type, data), "write " + name);
}

void Hdf5File::attribute(const std::string& object, const std::string& name, double value) {
  scalar(object, name, H5T_NATIVE_DOUBLE, &value);
}
void Hdf5File::attribute(const std::string& object, const std::string& name, std::int64_t value) {
  scalar(object, name, H5T_NATIVE_INT64, &value);
}
void Hdf5File::attribute(const std::string& object, const std::string& name, std::uint64_t value) {
  scalar(object, name, H5T_NATIVE_UINT64, &value);
}

void Hdf5File::attribute(const std::string& object, const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type " + name);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const char* data = text.c_str();
  scalar(object, name, type.id(), &data);
}

void Hdf5File::list(const std::string& object, const std::string& name, hid_t type, hsize_t count, const void* data) {
  const Handle owner(H5Oopen(file_, object.c_str(), H5P_DEFAULT), H5Oclose, "open " + object);
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "size " + name);
  const Handle attribute(H5Acreate2(owner.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "make " + name);
  need(H5Awrite(attribute.id(), type, data), "write " + name);
}

void Hdf5File::attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type " + name);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  std::vector<const char*> data;
  for (const std::string& text : texts) data.push_back(text.c_str());
  list(object, name, type.id(), texts.size(), data.data());
}

namespace {

// An entry of a scale's attribute REFERENCE_LIST.
struct ScaleUse {
  hobj_ref_t dataset;
  int dimension, padding;
};

hobj_ref_t reference_to(hid_t file, const std::string& name) {
  hobj_ref_t out = 0;
  need(H5Rcreate(&out, file, name.c_str(), H5R_OBJECT, -1), "refer to " + name);
  return out;
}

}  // namespace

void Hdf5File::scales(const std::vector<std::string>& scales, const std::vector<std::string>& arrays) {
  const Handle references(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose, "type references");
  const Handle use(H5Tcreate(H5T_COMPOUND, sizeof(ScaleUse)), H5Tclose, "type scales");
  need(H5Tinsert(use.id(), "dataset", HOFFSET(ScaleUse, dataset), H5T_STD_REF_OBJ), "type scales");
  need(H5Tinsert(use.id(), "dimension", HOFFSET(ScaleUse, dimension), H5T_NATIVE_INT), "type scales");
  std::vector<hobj_ref_t> to_scales;
  std::vector<hvl_t> lists;
  for (const std::string& scale : scales) to_scales.push_back(reference_to(file_, scale));
  for (hobj_ref_t& one : to_scales) lists.push_back({1, &one});
  for (const std::string& array : arrays) list(array, "DIMENSION_LIST", references.id(), lists.size(), lists.data());
  for (std::size_t d = 0; d < scales.size(); ++d) {
    for (const auto& [name, value] : {std::pair{"CLASS", std::string("DIMENSION_SCALE")}, {"NAME", scales[d]}}) {
      const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type scales");
      need(H5Tset_size(type.id(), value.size() + 1), "type scales");
      scalar(scales[d], name, type.id(), value.c_str());
    }
    std::vector<ScaleUse> uses;
    for (const std::string& array : arrays) uses.push_back({reference_to(file_, array), static_cast<int>(d), 0});
    list(scales[d], "REFERENCE_LIST", use.id(), uses.size(), uses.data());
  }
}

}  // namespace pegrasp
