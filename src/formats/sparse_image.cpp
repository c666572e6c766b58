// SPDX-License-Identifier: Apache-2.0
#include "src/formats/sparse_image.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace pegrasp {
namespace {

constexpr std::uint64_t page_size = 4096;

// --- a driver of the library ("virtual file layer"): files in images -------------------------------------------------

struct Access {
  SparseImage* image;
};

struct OpenImage {
  H5FD_t of_the_library;  // must be first: the library sees only this part, and fills it in
  SparseImage* image;
  haddr_t allocated;
};

OpenImage* own(H5FD_t* file) { return reinterpret_cast<OpenImage*>(file); }
const OpenImage* own(const H5FD_t* file) { return reinterpret_cast<const OpenImage*>(file); }

H5FD_t* open_image(const char*, unsigned flags, hid_t access, haddr_t) {
  const auto* info = static_cast<const Access*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto* const file = new (std::nothrow) OpenImage{};
  if (file == nullptr) return nullptr;
  file->image = info->image;
  if ((flags & H5F_ACC_TRUNC) != 0) file->image->clear();
  return &file->of_the_library;
}

herr_t close_image(H5FD_t* file) {
  delete own(file);
  return 0;
}

herr_t query_image(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return own(file)->allocated; }
herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t size) {
  own(file)->allocated = size;
  return 0;
}
haddr_t end_of_image(const H5FD_t* file, H5FD_mem_t) { return own(file)->image->size(); }

herr_t read_image(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, std::size_t count, void* to) {
  own(file)->image->read(place, static_cast<char*>(to), count);
  return 0;
}

// Never reports a failure, because the library crashes at exit when a file could not be written while it was closed.
// The owner of the file asks the image instead.
herr_t write_image(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, std::size_t count, const void* from) {
  own(file)->image->write(place, {static_cast<const char*>(from), count});
  return 0;
}

herr_t truncate_image(H5FD_t* file, hid_t, hbool_t) {
  own(file)->image->resize(own(file)->allocated);
  return 0;
}

hid_t registered() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(300);  // of those that are free to use
#endif
  driver.name = "sparse image";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Access);
  driver.open = open_image;
  driver.close = close_image;
  driver.query = query_image;
  driver.get_eoa = allocated;
  driver.set_eoa = allocate;
  driver.get_eof = end_of_image;
  driver.read = read_image;
  driver.write = write_image;
  driver.truncate = truncate_image;
  constexpr H5FD_mem_t kinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), std::begin(driver.fl_map));
  return H5FDregister(&driver);
}

}  // namespace

void SparseImage::write(std::uint64_t place, std::string_view bytes) noexcept try {
  size_ = std::max(size_, place + bytes.size());
  while (!bytes.empty()) {
    const std::uint64_t offset = place % page_size;
    const std::size_t count = std::min<std::size_t>(bytes.size(), page_size - offset);
    std::vector<char>& page = pages_.try_emplace(place / page_size, page_size).first->second;
    std::memcpy(page.data() + offset, bytes.data(), count);
    place += count;
    bytes.remove_prefix(count);
  }
} catch (const std::bad_alloc&) {
  lost_ = true;
}

void SparseImage::read(std::uint64_t place, char* to, std::size_t count) const {
  while (count > 0) {
    const std::uint64_t offset = place % page_size;
    const std::size_t some = std::min<std::size_t>(count, page_size - offset);
    const auto page = pages_.find(place / page_size);
    if (page == pages_.end()) {
      std::memset(to, 0, some);
    } else {
      std::memcpy(to, page->second.data() + offset, some);
    }
    place += some;
    to += some;
    count -= some;
  }
}

void SparseImage::clear() {
  pages_.clear();
  size_ = 0;
}

void SparseImage::for_each_page(const std::function<void(std::uint64_t, std::string_view)>& f) const {
  for (const auto& [number, page] : pages_) {
    const std::uint64_t place = number * page_size;
    if (place >= size_) return;
    f(place, {page.data(), static_cast<std::size_t>(std::min(page_size, size_ - place))});
  }
}

bool live_in(hid_t file_access, SparseImage& image) {
  static hid_t driver = -1;
  if (H5Iget_type(driver) != H5I_VFL) driver = registered();  // H5close() forgets it
  const Access access{&image};
  return driver >= 0 && H5Pset_driver(file_access, driver, &access) >= 0;
}

}  // namespace pegrasp
