// What the files of the HDF5 layer share; the only header that includes <hdf5.h>.
#pragma once

#include <hdf5.h>
#include <string>

#include "base/fail.hpp"
#include "files/hdf5.hpp"

namespace kith::io::hdf5 {

/// Held around every use of the library, by one thread at a time; may be taken again by its holder.
/// Meanwhile the library prints nothing, even if the program that uses kith asked for it.
class Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  H5E_auto2_t report_ = nullptr;
  void* report_data_ = nullptr;
};

/// What went wrong last, in the library's words.
std::string last_error();

/// Wraps what an H5...open or H5...create returned; throws "where: cannot be `what`: reason".
Handle checked(hid_t id, const std::string& where, const char* what);
void check(herr_t status, const std::string& where, const char* what);

hid_t native_type(Number number);

/// Whether it is a type of numbers whose bits all lie inside it: beside those of damaged ones the
/// library reads and writes foreign memory.
bool is_sound_number(hid_t type);

/// For opening groups and datasets: links that lead to other files are not followed.
hid_t link_access();
hid_t group_access();
hid_t dataset_access();

}  // namespace kith::io::hdf5
