// SPDX-License-Identifier: Apache-2.0
#include "results/hdf5_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "backend/memory.hpp"

namespace pegrasp {
namespace {

// The file in memory grows by this much at a time, at least.
constexpr std::size_t growth = std::size_t{4} << 20;

void* image_realloc(void* image, std::size_t size, H5FD_file_image_op_t, void*) {
  void* const wider = std::realloc(image, size);
  if (wider != nullptr && image == nullptr) want_huge_pages(wider, size);
  return wider;
}
herr_t image_free(void* image, H5FD_file_image_op_t, void*) {
  std::free(image);
  return 0;
}

hid_t need(hid_t handle, const std::string& what) {
  if (handle < 0) throw std::runtime_error("HDF5 cannot " + what + " in memory");
  return handle;
}

// Closes a handle at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(need(id, what)), close_(close) {}
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t id() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace

Hdf5File::Hdf5File(std::size_t expected) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are told in our own words
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "choose a driver");
  constexpr hbool_t to_disk = 0;
  need(H5Pset_fapl_core(access.id(), std::max(growth, expected), to_disk), "choose its memory driver");
  H5FD_file_image_callbacks_t memory{};
  memory.image_realloc = image_realloc;
  memory.image_free = image_free;
  need(H5Pset_file_image_callbacks(access.id(), &memory), "choose its memory");
  file_ = need(H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), "create a file");
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

std::string Hdf5File::bytes() {
  need(H5Fflush(file_, H5F_SCOPE_GLOBAL), "flush the file");
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  need(size, "size the file");
  std::string image(static_cast<std::size_t>(size), '\0');
  need(H5Fget_file_image(file_, image.data(), image.size()), "copy the file");
  return image;
}

std::string_view Hdf5File::image() {
  need(H5Fflush(file_, H5F_SCOPE_GLOBAL), "flush the file");
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  need(size, "size the file");
  void* handle = nullptr;  // of this driver: where it keeps the address of its memory
  need(H5Fget_vfd_handle(file_, H5P_DEFAULT, &handle), "find the file");
  char* const at = *static_cast<char**>(handle);
  // Here, as in every file that is open, the superblock says that it is being written; a copy does not, nor must what is on a disk.
  constexpr std::size_t version_at = 8;
  const bool old_layout = at[version_at] < 2;
  std::fill_n(at + (old_layout ? 20 : 11), old_layout ? 4 : 1, '\0');
  return {at, static_cast<std::size_t>(size)};
}

void Hdf5File::group(const std::string& name) {
  const Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "make " + name);
}

void Hdf5File::dataset(const std::string& name, const std::vector<hsize_t>& shape, hid_t type, const void* data) {
  const Handle space(
      shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
      H5Sclose, "size " + name);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe " + name);
  need(H5Pset_obj_track_times(creation.id(), false), "describe " + name);  // the same content is the same bytes
  const Handle set(H5Dcreate2(file_, name.c_str(), type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose,
                   "make " + name);
  need(H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write " + name);
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

void Hdf5File::attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type " + name);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const hsize_t count = texts.size();
  const Handle owner(H5Oopen(file_, object.c_str(), H5P_DEFAULT), H5Oclose, "open " + object);
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "size " + name);
  const Handle attribute(H5Acreate2(owner.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "make " + name);
  std::vector<const char*> data;
  for (const std::string& text : texts) data.push_back(text.c_str());
  need(H5Awrite(attribute.id(), type.id(), data.data()), "write " + name);
}

}  // namespace pegrasp
