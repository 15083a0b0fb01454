// Writers and readers of merger trees, one for each format.
#pragma once

#include <string>

#include <kith/io/halo_histories.hpp>

namespace kith::io {

void write_gadget_trees(const std::string& path, const HaloHistories& histories);
bool is_gadget_trees(const std::string& path);
HaloHistories read_gadget_trees(const std::string& path);

void write_sublink(const std::string& path, const HaloHistories& histories);
bool is_sublink(const std::string& path);
HaloHistories read_sublink(const std::string& path);

void write_lhalotree(const std::string& path, const HaloHistories& histories);
bool is_lhalotree(const std::string& path);
HaloHistories read_lhalotree(const std::string& path);

void write_consistent_trees(const std::string& path, const HaloHistories& histories);
bool is_consistent_trees(const std::string& path);
HaloHistories read_consistent_trees(const std::string& path);

void write_csv_trees(const std::string& path, const HaloHistories& histories);

}  // namespace kith::io
