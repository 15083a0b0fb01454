// Shared by the files of the HDF5 layer; the only header that includes <hdf5.h>.
#pragma once

#include <hdf5.h>
#include <string>

#include "base/fail.hpp"
#include "files/hdf5.hpp"

namespace kith::io::hdf5 {

/// Held around every use of the library, by one thread at a time; recursive. Meanwhile the library
/// prints nothing, even if the program that uses kith asked for it.
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

/// The last error, in the library's words.
std::string last_error();

/// Wraps the result of an H5...open or H5...create; throws "where: cannot be `what`: reason".
Handle checked(hid_t id, const std::string& where, const char* what);
void check(herr_t status, const std::string& where, const char* what);

hid_t native_type(Number number);

/// Whether it is a type of numbers whose bits all lie inside it: for damaged types without this
/// property, the library reads and writes foreign memory.
bool is_sound_number(hid_t type);
/// How a sound number is stored; none: in a type that only the library can convert.
std::optional<Stored> stored_as(hid_t type);

/// For opening groups and datasets: links that lead to other files are not followed.
hid_t link_access();
hid_t group_access();
hid_t dataset_access();

}  // namespace kith::io::hdf5
