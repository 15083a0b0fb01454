// A catalogue in memory as the rows that writers take: it is the case of one process.
#pragma once

#include <vector>

#include <kith/detail/result_rows.hpp>

namespace kith::io {

/// Views of a content that must outlive it, and the memory of arrays that are made for the file.
class ContentRows {
 public:
  ContentRows(const CatalogueContent& content, ResultStyle style);
  ContentRows(const ContentRows&) = delete;
  ContentRows& operator=(const ContentRows&) = delete;

  const CatalogueRows& rows() const { return rows_; }

 private:
  void add_columns();
  void add_label(const CatalogueContent& content, ResultStyle style);
  void add_order(const CatalogueContent& content, ResultStyle style);

  CatalogueShare share_;
  std::vector<std::uint32_t> order_;                       // of all points
  std::vector<std::vector<std::uint32_t>> order_of_type_;  // counted in the type
  CatalogueRows rows_;
};

}  // namespace kith::io
